#include "export/foreign/foreign_configuration.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/number_text.h"
#include "export/foreign/bias_choice.h"
#include "export/foreign/settled_grids.h"
#include "graph/operator_traits.h"
#include "precision/layers/fused_patterns.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"
#include "precision/parameters/quantized_model.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {
namespace {

class ConfigurationMaker {
 public:
  ConfigurationMaker(const Engine& engine, const PlacedGrids& placed)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_placed(placed),
        m_settled(settleGrids(engine, placed)) {}

  ImportedConfiguration make() {
    m_result.encodings = m_placed.encodings;
    m_result.notices = m_placed.notices;
    std::ranges::copy(m_settled.notices, std::back_inserter(m_result.notices));
    m_precision.backend = "generic";
    m_precision.defaults.float32 = true;
    for (const FusedLayer& layer : planLayers()) setLayer(layer);
    addPointEncodings();
    Configuration config(std::move(m_precision));
    config.encodings = SharedPart<Encodings>(std::move(m_encodings));
    tellMixed();
    chooseBiasRule(m_engine, m_placed, config, m_result.notices);
    m_result.config = std::move(config);
    return std::move(m_result);
  }

 private:
  // Layers as the generic backend fuses them where nothing inside one is rounded.
  std::vector<FusedLayer> planLayers() {
    const auto backend = findBackend(m_precision.backend);
    std::set<std::string> own;
    while (true) {
      PrecisionConfig plan;
      plan.backend = m_precision.backend;
      for (const std::string& node : own) plan.nodes.emplace_back(node, defaultPrecision());
      const ResolvedConfig resolved(m_graph, plan);
      std::vector<FusedLayer> layers = findFusedLayers(m_engine, *backend, resolved);
      const std::size_t before = own.size();
      for (const FusedLayer& layer : layers) {
        for (std::size_t i = 1; i < layer.members.size(); ++i) {
          if (!standsAlone(layer, i)) continue;
          own.insert(m_graph[layer.members[i]].name);
          break;
        }
      }
      if (own.size() == before) return layers;
    }
  }

  // True where a follower reads a value that is rounded, or a constant on a grid, or was not
  // folded.
  bool standsAlone(const FusedLayer& layer, std::size_t place) const {
    const NodeId id = layer.members[place];
    const Node& node = m_graph[id];
    if (m_settled.outputs.contains(m_graph[layer.members[place - 1]].outputs[0])) return true;
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      if (m_settled.edges.contains({id, input})) return true;
      if (!gridOfConstant({id, input}).empty()) return true;
    }
    return operatorTraits(node).foldsIntoWeights && !m_placed.absent[id.at()];
  }

  const std::vector<ForeignGrid>& gridOfConstant(const EdgeId& edge) const {
    static const std::vector<ForeignGrid> none;
    const auto found = m_placed.constants.find(edge);
    return found == m_placed.constants.end() ? none : found->second.grid;
  }

  static void setType(const ForeignGrid& grid, TensorPrecision& precision) {
    const Encoding& encoding = grid.encoding;
    precision.type = encoding.type;
    precision.symmetric = grid.symmetric;
    precision.dynamic = grid.dynamic;
    precision.lowest = grid.lowest;
    precision.highest = grid.highest;
    precision.granularity = {};
    if (encoding.scales.size() <= 1) return;
    const bool blocked = encoding.blockSize > 0;
    precision.granularity = {blocked ? Granularity::Kind::PerGroup : Granularity::Kind::PerChannel,
                             encoding.axis, encoding.blockSize};
  }

  // Takes a grid over where its tensor has none yet, or one of the same type.
  bool join(const ForeignGrid& grid, TensorPrecision& precision) {
    if (!isQuantized(precision.type)) {
      setType(grid, precision);
      return true;
    }
    TensorPrecision other;
    setType(grid, other);
    other.symmetric = precision.symmetric;
    other.observer = precision.observer;
    if (other != precision) return false;
    precision.symmetric = precision.symmetric && grid.symmetric;
    return true;
  }

  void setLayer(const FusedLayer& layer) {
    const NodeId lead = layer.lead();
    const Node& node = m_graph[lead];
    if (!m_settled.able[lead.at()] && !isEmbedding(m_engine, node)) return;
    NodePrecision precision = defaultPrecision();
    const std::vector<std::size_t> weights = weightInputs(m_engine, node);
    if (!weights.empty()) precision.weight.type = QuantType::Float32;
    precision.activation.type = precision.output.type = QuantType::Float32;
    for (const std::size_t input : weights) setWeight(lead, input, precision.weight);
    setEdges(lead, precision.activation);
    const auto output = m_settled.outputs.find(m_graph[layer.last()].outputs.at(0));
    if (output != m_settled.outputs.end()) setType(output->second, precision.output);
    const bool any = (!weights.empty() && isQuantized(precision.weight.type)) ||
                     isQuantized(precision.activation.type) || isQuantized(precision.output.type) ||
                     foldsAbsent(layer);
    if (any) m_precision.nodes.emplace_back(node.name, precision);
  }

  bool foldsAbsent(const FusedLayer& layer) const {
    return std::ranges::any_of(layer.members, [&](NodeId member) {
      return m_placed.absent[member.at()] && operatorTraits(m_graph[member]).foldsIntoWeights;
    });
  }

  void setWeight(NodeId lead, std::size_t input, TensorPrecision& precision) {
    const std::vector<ForeignGrid>& grids = gridOfConstant({lead, input});
    if (grids.empty()) return;
    ForeignGrid grid = grids.front();
    completeAxis(m_graph[lead], input, grid);
    if (!join(grid, precision)) return m_mixed.push_back(m_graph[lead].name);
    const ValueId value = m_graph[lead].inputs[input];
    if (hasScale(grid.encoding.type)) addEncoding(value, lead, grid.encoding);
  }

  // AIMET names no axis: output channels, and input channels for blocks.
  void completeAxis(const Node& node, std::size_t input, ForeignGrid& grid) const {
    Encoding& encoding = grid.encoding;
    const Tensor* weight = m_engine.constant(node.inputs[input]);
    if (encoding.scales.size() <= 1 || encoding.axis || weight == nullptr) return;
    encoding.axis = encoding.blockSize > 0 ? inputChannelAxis(node, input, weight->shape().rank())
                                           : outputChannelAxis(node, input, weight->shape());
  }

  /// The grid of an input: that of its edge or constant, else that of the value itself.
  struct InputGrid {
    const ForeignGrid* own = nullptr;
    const ForeignGrid* value = nullptr;
  };
  InputGrid gridOfInput(const EdgeId& edge) const {
    const ValueId value = m_graph[edge.first].inputs[edge.second];
    const auto found = m_settled.edges.find(edge);
    if (found != m_settled.edges.end()) return {&found->second, nullptr};
    const std::vector<ForeignGrid>& constant = gridOfConstant(edge);
    if (!constant.empty()) return {&constant.front(), nullptr};
    return {nullptr, m_settled.gridOf(m_engine, value)};
  }

  // Inputs that are rounded on their way decide; the others are on their producers' grids, which
  // must be of that type.
  void setEdges(NodeId lead, TensorPrecision& precision) {
    std::vector<EdgeId> edges;
    for (const std::size_t input : activationInputs(m_engine, m_graph[lead])) {
      edges.emplace_back(lead, input);
    }
    bool agree = true;
    for (const EdgeId& edge : edges) {
      if (const ForeignGrid* own = gridOfInput(edge).own) agree &= join(*own, precision);
    }
    const bool rounded = isQuantized(precision.type);
    TensorPrecision joined = precision;
    bool all = agree && !edges.empty();
    for (const EdgeId& edge : edges) {
      const InputGrid grid = gridOfInput(edge);
      if (grid.own != nullptr) continue;
      // A range per sample would be taken again, from numbers that are rounded already.
      all &= grid.value != nullptr && !grid.value->dynamic && join(*grid.value, joined);
    }
    if (all) precision = joined;
    if (rounded && !all) m_mixed.push_back(m_graph[lead].name);
    if (!isQuantized(precision.type)) return;
    for (const EdgeId& edge : edges) {
      const InputGrid grid = gridOfInput(edge);
      const ForeignGrid* used = grid.own != nullptr ? grid.own : grid.value;
      if (used != nullptr) m_wanted.emplace(edge, *used);
    }
  }

  void tellMixed() {
    if (m_mixed.empty()) return;
    m_result.notices.push_back("inputs or weights of " + quotedNames(m_mixed) +
                               " have several types, where a layer has one here");
  }

  const ForeignGrid* wantedAt(const QuantizationPoint& point) const {
    if (point.isOutput()) return m_settled.gridOf(m_engine, point.value);
    const auto found = m_wanted.find({point.consumer, point.input});
    return found == m_wanted.end() ? nullptr : &found->second;
  }

  // Points that would share a grid, but are on different ones, are parted.
  void partPoints() {
    const ObserverGroups groups = findObserverGroups(m_engine, m_precision);
    for (const std::vector<std::size_t>& members : groups.members) {
      const ForeignGrid* first = wantedAt(groups.points[members.front()]);
      for (const std::size_t index : members) {
        const QuantizationPoint& point = groups.points[index];
        const ForeignGrid* wanted = wantedAt(point);
        if (point.isOutput() || first == nullptr || wanted == nullptr) continue;
        if (isSameGrid(*first, *wanted)) continue;
        const PointName name = pointName(m_graph, point);
        std::vector<PointName>& part = m_precision.groups.part;
        if (std::ranges::find(part, name) == part.end()) part.push_back(name);
      }
    }
  }

  void addPointEncodings() {
    partPoints();
    const ObserverGroups groups = findObserverGroups(m_engine, m_precision);
    for (const QuantizationPoint& point : groups.points) {
      const ForeignGrid* wanted = wantedAt(point);
      if (wanted == nullptr || wanted->dynamic || !hasScale(wanted->encoding.type)) continue;
      // A data mover's output is in the group of its input.
      if (point.isOutput() && !m_settled.outputs.contains(point.value)) continue;
      addEncoding(point.value, point.consumer, wanted->encoding);
    }
  }

  void addEncoding(ValueId value, NodeId reader, const Encoding& encoding) {
    const PointName name{producerName(m_graph, value), reader.valid() ? m_graph[reader].name : ""};
    if (m_encodings.find(name) == nullptr) m_encodings.entries.emplace_back(name, encoding);
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const PlacedGrids& m_placed;
  const SettledGrids m_settled;
  std::map<EdgeId, ForeignGrid> m_wanted;  // of edges that are quantized
  std::vector<std::string> m_mixed;
  PrecisionConfig m_precision;
  Encodings m_encodings;
  ImportedConfiguration m_result;
};

}  // namespace

ImportedConfiguration configurationFrom(const Engine& engine, const PlacedGrids& placed) {
  return ConfigurationMaker(engine, placed).make();
}

}  // namespace quantscope
