#include "export/foreign/foreign_configuration.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "graph/operator_traits.h"
#include "precision/config/resolved_config.h"
#include "precision/layers/fused_patterns.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {
namespace {

constexpr std::size_t kNamedInNotice = 5;

class ConfigurationMaker {
 public:
  ConfigurationMaker(const Engine& engine, std::span<const ForeignGrid> grids)
      : m_engine(engine), m_graph(engine.graph()), m_grids(grids) {}

  ImportedConfiguration make() {
    m_precision.backend = "generic";
    m_precision.defaults.float32 = true;
    for (const ForeignGrid& grid : m_grids) place(grid);
    noteUnknown();
    setLayers();
    addEncodings();
    Configuration config(std::move(m_precision));
    config.encodings = SharedPart<Encodings>(std::move(m_encodings));
    // Contradictions are found without data.
    const QuantizedModel model = quantizeModel(m_engine, config, Observations());
    m_result.notices.insert(m_result.notices.end(), model.notices.begin(), model.notices.end());
    m_result.config = std::move(config);
    return std::move(m_result);
  }

 private:
  /// The value that a grid is for: by what reads it, else by its name.
  ValueId valueOf(const ForeignGrid& grid) const {
    const ValueId named = m_graph.findValue(grid.tensor);
    if (named.valid()) return named;
    for (const auto& [consumer, input] : grid.consumers) {
      const NodeId node = m_graph.findNode(consumer);
      if (node.valid() && input < m_graph[node].inputs.size()) return m_graph[node].inputs[input];
    }
    return {};
  }

  void place(const ForeignGrid& grid) {
    const ValueId value = valueOf(grid);
    if (!value.valid()) {
      m_unknown.push_back(grid.tensor);
      return;
    }
    ++m_result.encodings;
    m_byValue[value].push_back(&grid);
  }

  void noteUnknown() {
    if (m_unknown.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < std::min(kNamedInNotice, m_unknown.size()); ++i) {
      names += (i > 0 ? ", '" : "'") + m_unknown[i] + "'";
    }
    if (m_unknown.size() > kNamedInNotice) {
      names += " and " + std::to_string(m_unknown.size() - kNamedInNotice) + " more";
    }
    if (m_result.encodings == 0) {
      throw Error(ErrorCode::InvalidConfiguration, "the model has none of the tensors " + names, {},
                  "give the model that the file was made for");
    }
    m_result.notices.push_back("the model has no tensor " + names);
  }

  /// The grid of a value for this reader; without a reader, the first of several grids.
  const ForeignGrid* gridFor(ValueId value, const std::string& reader) const {
    const auto found = m_byValue.find(value);
    if (found == m_byValue.end()) return nullptr;
    const auto& grids = found->second;
    if (grids.size() == 1) return grids.front();
    for (const ForeignGrid* grid : grids) {
      for (const auto& [consumer, input] : grid->consumers) {
        if (consumer == reader) return grid;
      }
    }
    return reader.empty() ? grids.front() : nullptr;
  }

  // Data movers keep the grid of their input: files need not list it again.
  ValueId origin(ValueId value) const {
    while (value.valid() && !m_byValue.contains(value)) {
      const NodeId producer = m_graph[value].producer;
      if (!producer.valid() || !isDataMover(m_graph, m_graph[producer]) ||
          isEmbedding(m_engine, m_graph[producer])) {
        break;
      }
      value = m_graph[producer].inputs.at(0);
    }
    return value;
  }

  static void setType(const ForeignGrid& grid, TensorPrecision& precision) {
    precision.type = grid.encoding.type;
    precision.symmetric = grid.symmetric;
    precision.dynamic = false;
    precision.lowest = grid.lowest;
    precision.highest = grid.highest;
    precision.granularity = {};
    const Encoding& encoding = grid.encoding;
    if (encoding.scales.size() <= 1) return;
    const bool blocked = encoding.blockSize > 0;
    precision.granularity = {blocked ? Granularity::Kind::PerGroup : Granularity::Kind::PerChannel,
                             encoding.axis, encoding.blockSize};
  }

  // Layers as the generic backend fuses them.
  void setLayers() {
    const auto backend = findBackend(m_precision.backend);
    // Layers in float are not fused: to find the quantized ones, all are treated as quantized.
    PrecisionConfig all;
    all.backend = m_precision.backend;
    const ResolvedConfig nothing(m_graph, all);
    for (const FusedLayer& layer : findFusedLayers(m_engine, *backend, nothing)) setLayer(layer);
  }

  void setLayer(const FusedLayer& layer) {
    const Node& lead = m_graph[layer.lead()];
    if (isDataMover(m_graph, lead) && !isEmbedding(m_engine, lead)) return;
    NodePrecision precision = defaultPrecision();
    const std::vector<std::size_t> weights = weightInputs(m_engine, lead);
    if (!weights.empty()) precision.weight.type = QuantType::Float32;
    precision.activation.type = precision.output.type = QuantType::Float32;
    bool any = false;
    for (const std::size_t input : weights) any |= setWeight(lead, input, precision.weight);
    any |= setValue(m_graph[layer.last()].outputs.at(0), "", precision.output);
    for (const std::size_t input : activationInputs(m_engine, lead)) {
      const ValueId value = lead.inputs[input];
      // A value that is rounded behind its producer needs no grid at a reader in float.
      if (any || isRoundedFor(value, lead.name)) {
        any |= setValue(value, lead.name, precision.activation);
      }
    }
    if (any) m_precision.nodes.emplace_back(lead.name, precision);
  }

  bool setWeight(const Node& node, std::size_t input, TensorPrecision& precision) const {
    const ForeignGrid* grid = gridFor(node.inputs[input], node.name);
    if (grid == nullptr || isQuantized(precision.type)) return false;
    ForeignGrid complete = *grid;
    completeAxis(node, node.inputs[input], complete);
    setType(complete, precision);
    return true;
  }

  bool setValue(ValueId value, const std::string& reader, TensorPrecision& precision) const {
    const ForeignGrid* grid = value.valid() ? gridFor(origin(value), reader) : nullptr;
    if (grid == nullptr || isQuantized(precision.type)) return false;
    setType(*grid, precision);
    return true;
  }

  // True if a grid is for this reader alone, or if the reader reads an input of the model.
  bool isRoundedFor(ValueId value, const std::string& reader) const {
    const ForeignGrid* grid = value.valid() ? gridFor(value, reader) : nullptr;
    if (grid == nullptr) return false;
    const bool named = std::ranges::any_of(
        grid->consumers, [&](const auto& consumer) { return consumer.first == reader; });
    return named && (m_byValue.at(value).size() > 1 || !m_graph[value].producer.valid());
  }

  // AIMET names no axis: output channels, and input channels for blocks.
  void completeAxis(const Node& node, ValueId value, ForeignGrid& grid) const {
    Encoding& encoding = grid.encoding;
    const Tensor* weight = m_engine.constant(value);
    if (encoding.scales.size() <= 1 || encoding.axis || weight == nullptr) return;
    const auto slot =
        static_cast<std::size_t>(std::ranges::find(node.inputs, value) - node.inputs.begin());
    encoding.axis = encoding.blockSize > 0 ? inputChannelAxis(node, slot, weight->shape().rank())
                                           : outputChannelAxis(node, slot, weight->shape());
  }

  void addEncodings() {
    for (const auto& [value, grids] : m_byValue) {
      for (const ForeignGrid* grid : grids) addEncoding(value, *grid, grids.size() > 1);
    }
  }

  void addEncoding(ValueId value, const ForeignGrid& grid, bool several) {
    if (!hasScale(grid.encoding.type)) return;
    ForeignGrid complete = grid;
    for (const NodeId consumer : m_graph[value].consumers) {
      if (m_engine.constant(value) != nullptr) completeAxis(m_graph[consumer], value, complete);
    }
    const std::string producer = producerName(m_graph, value);
    if (!several || grid.consumers.empty()) {
      addEntry({producer, {}}, complete.encoding);
      return;
    }
    for (const auto& [consumer, input] : grid.consumers) {
      if (m_graph.findNode(consumer).valid()) addEntry({producer, consumer}, complete.encoding);
    }
  }

  void addEntry(const PointName& point, const Encoding& encoding) {
    if (m_encodings.find(point) == nullptr) m_encodings.entries.emplace_back(point, encoding);
  }

  const Engine& m_engine;
  const Graph& m_graph;
  std::span<const ForeignGrid> m_grids;
  std::map<ValueId, std::vector<const ForeignGrid*>> m_byValue;
  std::vector<std::string> m_unknown;
  PrecisionConfig m_precision;
  Encodings m_encodings;
  ImportedConfiguration m_result;
};

}  // namespace

ImportedConfiguration configurationFrom(const Engine& engine, std::span<const ForeignGrid> grids) {
  return ConfigurationMaker(engine, grids).make();
}

}  // namespace quantscope
