#include "precision/parameters/foreign_encodings.h"

#include "precision/backend/backend_check.h"
#include "precision/backend/layer_tensors.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

Granularity granularityOf(const Encoding& encoding, std::size_t rank) {
  if (!encoding.axis) return {};
  const int axis = *encoding.axis < 0 ? *encoding.axis + static_cast<int>(rank) : *encoding.axis;
  if (encoding.blockSize > 0) return {Granularity::Kind::PerGroup, axis, encoding.blockSize};
  // One scale is per tensor, wherever it is said to lie.
  if (encoding.scales.size() == 1) return {};
  return {Granularity::Kind::PerChannel, axis, 0};
}

class EncodedLayer {
 public:
  EncodedLayer(const ConfiguredLayers& configured, const ObserverGroups& groups,
               const ResolvedEncodings& encodings, const FusedLayer& layer)
      : m_configured(configured),
        m_groups(groups),
        m_encodings(encodings),
        m_layer(layer),
        m_asked(configured.config[layer.lead()]) {}

  /// Empty where the backend runs the layer as it is encoded.
  std::string complaint() {
    takeWeights();
    takePoints();
    if (m_paths.empty()) return {};
    const Node& node = m_configured.graph()[m_layer.lead()];
    const std::optional<NearestPrecision> nearest =
        nearestPrecision(m_configured.backend, m_configured.engine, node, m_asked);
    if (!nearest || nearest->reasons.empty()) return {};
    std::string text = m_paths + ": simulated as given, but " + m_configured.backend.name +
                       " runs " + node.op + " with ";
    for (std::size_t i = 0; i < nearest->reasons.size(); ++i) {
      text += (i == 0 ? "" : ", ") + nearest->reasons[i];
    }
    return text;
  }

 private:
  void take(const NamedEncoding* named, std::size_t rank, TensorPrecision& precision) {
    if (named == nullptr) return;
    const Granularity given = granularityOf(*named->encoding, rank);
    if (given.kind == Granularity::Kind::PerTensor) return;
    precision.granularity = given;
    m_paths += (m_paths.empty() ? "'" : ", '") + named->path + "'";
  }

  void takeWeights() {
    const Node& node = m_configured.graph()[m_layer.lead()];
    for (const std::size_t input : weightInputs(m_configured.engine, node)) {
      const Tensor* weight = m_configured.engine.constant(node.inputs[input]);
      take(m_encodings.ofWeight(m_layer.lead(), input), weight->shape().rank(), m_asked.weight);
    }
  }

  void takePoints() {
    for (const QuantizationPoint& point : m_groups.points) {
      const auto& shape = m_configured.graph()[point.value].type.shape;
      const std::size_t rank = shape ? shape->size() : 0;
      if (point.isOutput()) {
        if (m_configured.graph()[point.value].producer != m_layer.last()) continue;
        take(m_encodings.ofGroup(point.group), rank, m_asked.output);
      } else if (point.consumer == m_layer.lead()) {
        take(m_encodings.ofGroup(point.group), rank, m_asked.activation);
      }
    }
  }

  const ConfiguredLayers& m_configured;
  const ObserverGroups& m_groups;
  const ResolvedEncodings& m_encodings;
  const FusedLayer& m_layer;
  NodePrecision m_asked;
  std::string m_paths;
};

}  // namespace

std::vector<std::string> foreignEncodings(const ConfiguredLayers& configured,
                                          const ObserverGroups& groups,
                                          const ResolvedEncodings& encodings) {
  std::vector<std::string> complaints;
  if (encodings.empty()) return complaints;
  for (const FusedLayer& layer : configured.layers) {
    const Node& node = configured.graph()[layer.lead()];
    if (!configured.quantized[layer.lead().at()] || !configured.backend.knows(node.op)) continue;
    std::string complaint = EncodedLayer(configured, groups, encodings, layer).complaint();
    if (!complaint.empty()) complaints.push_back(std::move(complaint));
  }
  return complaints;
}

}  // namespace quantscope
