#include "precision/sharing/observer_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/error.h"
#include "precision/layers/node_tensors.h"
#include "precision/sharing/hand_sharer.h"
#include "precision/sharing/union_find.h"

namespace quantscope {
namespace {

class GroupBuilder {
 public:
  explicit GroupBuilder(const ConfiguredLayers& configured)
      : m_configured(configured),
        m_graph(configured.graph()),
        m_outputPoint(m_graph.values().size(), kNoPoint),
        m_split(m_configured.config.config().groups.part.begin(),
                m_configured.config.config().groups.part.end()) {}

  ObserverGroups build() {
    for (const FusedLayer& layer : m_configured.layers) addLayer(layer);
    UnionFind sets(m_groups.points.size());
    HandSharer byHand(m_graph, m_configured.backend, m_configured.config.config().groups,
                      m_configured.layers, m_groups);
    uniteEqual(sets, byHand);
    for (const auto& [a, b] : m_forced) unite(sets, a, b, SharingCause::Backend);
    byHand.apply(sets);
    collect(sets);
    return std::move(m_groups);
  }

 private:
  static constexpr std::size_t kNoPoint = static_cast<std::size_t>(-1);

  void addLayer(const FusedLayer& layer) {
    const Node& lead = m_graph[layer.lead()];
    if (m_configured.facts->dataMovers[layer.lead().at()]) {
      addDataMover(lead);
      return;
    }
    if (!m_configured.quantized[layer.lead().at()]) return;
    if (isEmbedding(m_configured.engine, lead)) return;  // its rows stand on grids of their own
    const NodePrecision& precision = m_configured.config[layer.lead()];
    std::vector<std::size_t> own;
    if (isQuantized(precision.activation.type)) addEdges(layer.lead(), precision.activation, own);
    if (m_configured.backend.sharesInputs(lead.op)) force(own);
    if (!isQuantized(precision.output.type)) return;
    const ValueId output = m_graph[layer.last()].outputs.at(0);
    const std::optional<Grid> fixed =
        m_configured.backend.shares(lead.op) && !own.empty()
            ? m_groups.points[own.front()].fixed
            : fixedGrid(m_configured.backend, m_graph[layer.last()].op, precision.output);
    m_outputPoint[output.at()] = addPoint({output, {}, 0, precision.output, 0, fixed});
    noteParted(layer.members, output);
    if (m_configured.backend.shares(lead.op) && !own.empty()) {
      m_forced.emplace_back(own.front(), m_outputPoint[output.at()]);
    }
  }

  // Its readers no longer take its grid over, even where the backend sets that.
  void noteParted(std::span<const NodeId> makers, ValueId output) {
    const bool split = !m_split.empty() && std::ranges::any_of(makers, [&](NodeId maker) {
      return m_split.contains({m_graph[maker].name, {}});
    });
    if (split) m_splitOutputs.insert(output);
  }

  void force(const std::vector<std::size_t>& points) {
    for (const std::size_t point : points) m_forced.emplace_back(points.front(), point);
  }

  void addEdges(NodeId id, const TensorPrecision& precision, std::vector<std::size_t>& own) {
    const Node& node = m_graph[id];
    for (const std::size_t i : activationInputs(m_configured.engine, node)) {
      QuantizationPoint edge{node.inputs[i], id, i, precision, 0, {}};
      const std::size_t producer = m_outputPoint[edge.value.at()];
      if (producer != kNoPoint && m_groups.points[producer].precision == precision &&
          !isParted(edge)) {
        edge.fixed = m_groups.points[producer].fixed;
      }
      own.push_back(addPoint(edge));
    }
    if (m_configured.backend.sharesInputs(node.op)) agreeOnFixed(own);
  }

  bool isParted(const QuantizationPoint& edge) const {
    if (m_split.empty()) return false;
    return m_splitOutputs.contains(edge.value) || m_split.contains(pointName(m_graph, edge));
  }

  // Edges that must share one grid can only share a fixed one where all of them have the same;
  // else each value is brought onto a common grid, which is observed, on its way in.
  void agreeOnFixed(const std::vector<std::size_t>& edges) {
    const bool agree = std::ranges::all_of(edges, [&](std::size_t edge) {
      return m_groups.points[edge].fixed == m_groups.points[edges.front()].fixed;
    });
    if (agree) return;
    for (const std::size_t edge : edges) m_groups.points[edge].fixed.reset();
  }

  // A value on a grid is on the same grid after it is moved.
  void addDataMover(const Node& node) {
    if (node.inputs.empty() || !node.inputs[0].valid()) return;
    const std::size_t source = m_outputPoint[node.inputs[0].at()];
    if (source == kNoPoint) return;
    for (const ValueId output : node.outputs) {
      if (!output.valid() || !mayBeFloat(m_graph, output)) continue;
      const QuantizationPoint& from = m_groups.points[source];
      const std::size_t point = addPoint({output, {}, 0, from.precision, 0, from.fixed});
      m_outputPoint[output.at()] = point;
      noteParted({&m_graph[output].producer, 1}, output);
      m_forced.emplace_back(source, point);
    }
  }

  std::size_t addPoint(QuantizationPoint point) {
    m_groups.points.push_back(point);
    return m_groups.points.size() - 1;
  }

  void unite(UnionFind& sets, std::size_t a, std::size_t b, SharingCause cause) {
    if (a == b) return;
    sets.unite(a, b);
    m_groups.links.push_back({a, b, cause});
  }

  void uniteEqual(UnionFind& sets, const HandSharer& byHand) {
    std::map<ValueId, std::vector<std::size_t>> byValue;
    for (std::size_t i = 0; i < m_groups.points.size(); ++i) {
      byValue[m_groups.points[i].value].push_back(i);
    }
    for (const auto& [value, points] : byValue) {
      for (std::size_t i = 1; i < points.size(); ++i) {
        const auto equal = std::ranges::find_if(points, [&](std::size_t other) {
          return m_groups.points[other].precision == m_groups.points[points[i]].precision &&
                 m_groups.points[other].fixed == m_groups.points[points[i]].fixed &&
                 !byHand.areSplit(other, points[i]);
        });
        unite(sets, *equal, points[i], SharingCause::SameValue);
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
                      " must share one grid on backend " + m_configured.backend.name +
                      " but ask for different ones",
                  {.file = {}, .node = {}, .value = m_graph[other.value].name},
                  "give both nodes the same precision");
    }
  }

  const ConfiguredLayers& m_configured;
  const Graph& m_graph;
  std::vector<std::size_t> m_outputPoint;  // by value
  std::set<PointName> m_split;
  std::set<ValueId> m_splitOutputs;
  std::vector<std::pair<std::size_t, std::size_t>> m_forced;
  ObserverGroups m_groups;
};

}  // namespace

std::optional<Grid> fixedGrid(const Backend& backend, std::string_view op,
                              const TensorPrecision& precision) {
  const bool free = precision.range || precision.dynamic || precision.symmetric ||
                    precision.lowest || precision.highest ||
                    precision.granularity.kind != Granularity::Kind::PerTensor;
  if (free) return std::nullopt;
  for (const FixedOutput& fixed : backend.fixed) {
    if (fixed.type != precision.type) continue;
    if (std::ranges::find(fixed.operators, op) != fixed.operators.end()) return fixed.grid;
  }
  return std::nullopt;
}

ObserverGroups findObserverGroups(const ConfiguredLayers& configured) {
  return GroupBuilder(configured).build();
}

ObserverGroups findObserverGroups(const Engine& engine, const PrecisionConfig& config) {
  const std::shared_ptr<const Backend> backend = findBackend(config.backend);
  const ResolvedConfig resolved(engine.graph(), config);
  return findObserverGroups({engine, *backend, resolved});
}

PointName pointName(const Graph& graph, const QuantizationPoint& point) {
  PointName name{producerName(graph, point.value), {}};
  if (!point.isOutput()) name.consumer = graph[point.consumer].name;
  return name;
}

std::string describe(const Graph& graph, const QuantizationPoint& point) {
  return describe(pointName(graph, point));
}

}  // namespace quantscope
