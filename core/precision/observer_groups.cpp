#include "precision/observer_groups.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "graph/data_dependence.h"
#include "precision/union_find.h"

namespace quantscope {
namespace {

bool mayBeFloat(const Graph& graph, ValueId value) {
  const std::optional<ElementType>& type = graph[value].type.element;
  return !type || *type == ElementType::Float32 || *type == ElementType::Float16 ||
         *type == ElementType::BFloat16;
}

class GroupBuilder {
 public:
  GroupBuilder(const Engine& engine, const Backend& backend, const ResolvedConfig& config,
               const std::vector<FusedLayer>& layers)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_backend(backend),
        m_config(config),
        m_layers(layers),
        m_quantized(findQuantizedNodes(engine, backend, config, layers)),
        m_outputPoint(m_graph.values().size(), kNoPoint) {}

  ObserverGroups build() {
    for (const FusedLayer& layer : m_layers) addLayer(layer);
    UnionFind sets(m_groups.points.size());
    uniteEqual(sets);
    for (const auto& [a, b] : m_forced) sets.unite(a, b);
    collect(sets);
    return std::move(m_groups);
  }

 private:
  static constexpr std::size_t kNoPoint = static_cast<std::size_t>(-1);

  void addLayer(const FusedLayer& layer) {
    const Node& lead = m_graph[layer.lead()];
    if (isDataMover(m_graph, lead)) {
      addDataMover(lead);
      return;
    }
    if (!m_quantized[layer.lead().at()]) return;
    const NodePrecision& precision = m_config[layer.lead()];
    std::vector<std::size_t> own;
    if (isQuantized(precision.activation.type)) addEdges(layer.lead(), precision.activation, own);
    if (isQuantized(precision.output.type)) {
      const ValueId output = m_graph[layer.last()].outputs.at(0);
      own.push_back(addPoint({output, {}, 0, precision.output, 0}));
      m_outputPoint[output.at()] = own.back();
    }
    if (!m_backend.shares(lead.op)) return;
    for (const std::size_t point : own) m_forced.emplace_back(own.front(), point);
  }

  void addEdges(NodeId id, const TensorPrecision& precision, std::vector<std::size_t>& own) {
    const Node& node = m_graph[id];
    const std::optional<std::size_t> weight = weightInput(m_engine, node);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const bool isBias = i == 2 && (node.op == "Gemm" || node.op.starts_with("Conv"));
      if (!node.inputs[i].valid() || weight == i || isBias) continue;
      if (mayBeFloat(m_graph, node.inputs[i])) {
        own.push_back(addPoint({node.inputs[i], id, i, precision, 0}));
      }
    }
  }

  // What stands on a grid before it is moved stands on the same grid afterwards.
  void addDataMover(const Node& node) {
    if (node.inputs.empty() || !node.inputs[0].valid()) return;
    const std::size_t source = m_outputPoint[node.inputs[0].at()];
    if (source == kNoPoint) return;
    for (const ValueId output : node.outputs) {
      if (!output.valid() || !mayBeFloat(m_graph, output)) continue;
      const std::size_t point = addPoint({output, {}, 0, m_groups.points[source].precision, 0});
      m_outputPoint[output.at()] = point;
      m_forced.emplace_back(source, point);
    }
  }

  std::size_t addPoint(QuantizationPoint point) {
    m_groups.points.push_back(point);
    return m_groups.points.size() - 1;
  }

  void uniteEqual(UnionFind& sets) {
    std::map<ValueId, std::vector<std::size_t>> byValue;
    for (std::size_t i = 0; i < m_groups.points.size(); ++i) {
      byValue[m_groups.points[i].value].push_back(i);
    }
    for (const auto& [value, points] : byValue) {
      for (std::size_t i = 1; i < points.size(); ++i) {
        const auto equal = std::ranges::find_if(points, [&](std::size_t other) {
          return m_groups.points[other].precision == m_groups.points[points[i]].precision;
        });
        sets.unite(*equal, points[i]);
      }
    }
  }

  void collect(UnionFind& sets) {
    std::map<std::size_t, std::size_t> groupOfRoot;
    for (std::size_t i = 0; i < m_groups.points.size(); ++i) {
      const auto [entry, isNew] = groupOfRoot.try_emplace(sets.find(i), m_groups.members.size());
      if (isNew) m_groups.members.emplace_back();
      m_groups.points[i].group = entry->second;
      m_groups.members[entry->second].push_back(i);
    }
    for (const std::vector<std::size_t>& members : m_groups.members) requireAgreement(members);
  }

  void requireAgreement(const std::vector<std::size_t>& members) const {
    const QuantizationPoint& first = m_groups.points[members.front()];
    for (const std::size_t index : members) {
      const QuantizationPoint& other = m_groups.points[index];
      if (other.precision == first.precision) continue;
      throw Error(ErrorCode::InvalidConfiguration,
                  describe(m_graph, first) + " and " + describe(m_graph, other) +
                      " must share one grid on backend " + m_backend.name +
                      " but ask for different ones",
                  {.file = {}, .node = {}, .value = m_graph[other.value].name},
                  "give both nodes the same precision");
    }
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const Backend& m_backend;
  const ResolvedConfig& m_config;
  const std::vector<FusedLayer>& m_layers;
  std::vector<bool> m_quantized;
  std::vector<std::size_t> m_outputPoint;  // by value
  std::vector<std::pair<std::size_t, std::size_t>> m_forced;
  ObserverGroups m_groups;
};

}  // namespace

std::vector<bool> findQuantizedNodes(const Engine& engine, const Backend& backend,
                                     const ResolvedConfig& config,
                                     const std::vector<FusedLayer>& layers) {
  const Graph& graph = engine.graph();
  const std::vector<bool> depends = dependsOnData(graph);
  std::vector<bool> quantized(graph.nodes().size(), false);
  for (const FusedLayer& layer : layers) {
    const Node& node = graph[layer.lead()];
    const ValueId output = graph[layer.last()].outputs.at(0);
    quantized[layer.lead().at()] = node.domain.empty() && backend.quantizes(node.op) &&
                                   !config[layer.lead()].float32 && output.valid() &&
                                   depends[output.at()] && mayBeFloat(graph, output);
  }
  return quantized;
}

std::optional<std::size_t> weightInput(const Engine& engine, const Node& node) {
  const auto isWeight = [&](std::size_t index) {
    const Tensor* constant =
        index < node.inputs.size() ? engine.constant(node.inputs[index]) : nullptr;
    return constant != nullptr && isFloat(constant->type()) && constant->elementCount() > 0;
  };
  const bool matrix = node.op == "MatMul" || node.op == "Gemm";
  if (!matrix && node.op != "Conv" && node.op != "ConvTranspose") return std::nullopt;
  if (isWeight(1)) return 1;
  if (node.op == "MatMul" && isWeight(0)) return 0;
  return std::nullopt;
}

ObserverGroups findObserverGroups(const Engine& engine, const Backend& backend,
                                  const ResolvedConfig& config,
                                  const std::vector<FusedLayer>& layers) {
  return GroupBuilder(engine, backend, config, layers).build();
}

std::string describe(const Graph& graph, const QuantizationPoint& point) {
  if (!point.isOutput()) return "the edge into '" + graph[point.consumer].name + "'";
  const NodeId producer = graph[point.value].producer;
  return producer.valid() ? "the output of '" + graph[producer].name + "'"
                          : "the value '" + graph[point.value].name + "'";
}

}  // namespace quantscope
