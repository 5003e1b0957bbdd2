#include "precision/backend/without_effect.h"

#include <algorithm>
#include <map>
#include <optional>

#include "graph/operator_traits.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

constexpr std::size_t kMaxNamed = 8;

/// Why the observer of a tensor has nothing to do; empty where it has.
std::string idleObserver(const TensorPrecision& precision, bool isWeight) {
  if (precision.observer == ObserverSpec()) return {};
  const std::string type(name(precision.type));
  if (!hasScale(precision.type)) return type + " has no scale";
  if (isSignCode(precision.type)) return "the mean magnitude sets the scale of " + type;
  if (!isWeight && precision.dynamic) return "each sample's own range is taken while it runs";
  if (precision.range) return "the range is set by hand";
  if (isWeight && precision.observer.kind == ObserverSpec::Kind::MovingAverage) {
    return "weights have no batches, it is their minimum and maximum";
  }
  return {};
}

bool othersQuantize(const std::string& op) {
  return std::ranges::any_of(
      backendNames(), [&](const std::string& backend) { return findBackend(backend)->knows(op); });
}

class Search {
 public:
  explicit Search(const ConfiguredLayers& configured)
      : m_configured(configured), m_graph(configured.graph()), m_layerOf(m_graph.nodes().size()) {
    for (std::size_t i = 0; i < m_configured.layers.size(); ++i) {
      for (const NodeId member : m_configured.layers[i].members) m_layerOf[member.at()] = i;
    }
  }

  std::vector<std::string> run() {
    addObservers({PrecisionRule::Kind::Default, 0}, m_configured.config.config().defaults);
    for (const auto& [rule, nodes] : nodesByRule()) addEntry(rule, nodes);
    addLeftFloat();
    return std::move(m_found);
  }

 private:
  using Rule = std::pair<PrecisionRule::Kind, std::size_t>;

  std::string placeOf(const Rule& rule) const {
    return describe(m_configured.config.config(), {rule.first, rule.second});
  }

  void add(const std::string& place, const std::string& why) {
    m_found.push_back("'" + place + "' has no effect: " + why);
  }

  // What an entry has from the defaults, it does not ask for.
  void addObservers(const Rule& rule, const NodePrecision& precision) {
    if (precision.float32) return;
    const NodePrecision& defaults = m_configured.config.config().defaults;
    const auto check = [&](const char* tensor, auto role, bool isWeight) {
      const TensorPrecision& own = precision.*role;
      const bool inherited =
          rule.first != PrecisionRule::Kind::Default && own.observer == (defaults.*role).observer;
      const std::string why = inherited ? std::string() : idleObserver(own, isWeight);
      if (!why.empty()) {
        add(placeOf(rule) + "." + tensor + ".observer", toString(own.observer) + ": " + why);
      }
    };
    check("weight", &NodePrecision::weight, true);
    check("activation", &NodePrecision::activation, false);
    if (precision.output != precision.activation) check("output", &NodePrecision::output, false);
  }

  std::map<Rule, std::vector<NodeId>> nodesByRule() const {
    std::map<Rule, std::vector<NodeId>> nodes;
    for (std::size_t i = 0; i < m_graph.nodes().size(); ++i) {
      const PrecisionRule& rule = m_configured.config.rule(NodeId(i));
      if (rule.kind != PrecisionRule::Kind::Default) {
        nodes[{rule.kind, rule.index}].emplace_back(i);
      }
    }
    return nodes;
  }

  // An entry asks for what is neither as by default nor what keys that it leaves out stand for.
  bool asksFor(const NodePrecision& entry, TensorPrecision NodePrecision::*role) const {
    static const NodePrecision kLeftOut = defaultPrecision();
    return entry.*role != m_configured.config.config().defaults.*role &&
           entry.*role != kLeftOut.*role;
  }

  void addEntry(const Rule& rule, const std::vector<NodeId>& nodes) {
    std::string why;
    const bool idle = std::ranges::all_of(nodes, [&](NodeId node) {
      std::string own = whyIdle(node);
      const bool isIdle = !own.empty();
      if (why.empty()) why = std::move(own);
      return isIdle;
    });
    if (idle) {
      add(placeOf(rule), why);
      return;
    }
    const NodePrecision& precision = m_configured.config[nodes.front()];
    addObservers(rule, precision);
    if (precision.float32 || !asksFor(precision, &NodePrecision::weight)) return;
    const bool weightless = std::ranges::none_of(nodes, [&](NodeId node) {
      const std::optional<std::size_t>& layer = m_layerOf[node.at()];
      return layer && m_configured.layers[*layer].lead() == node &&
             weightInput(m_configured.engine, m_graph[node]).has_value();
    });
    if (weightless) {
      add(placeOf(rule) + ".weight", m_graph[nodes.front()].op + " has no constant weights here");
    }
  }

  /// Empty where the node takes its precision from its entry.
  std::string whyIdle(NodeId node) const {
    const std::optional<std::size_t>& layer = m_layerOf[node.at()];
    if (!layer) return "'" + m_graph[node].name + "' computes a constant";
    const NodeId lead = m_configured.layers[*layer].lead();
    if (lead != node) {
      return "'" + m_graph[node].name + "' is a part of '" + m_graph[lead].name + "'";
    }
    if (m_configured.quantizable(*layer) || m_configured.floats[node.at()]) return {};
    const bool moves =
        isDataMover(m_graph, m_graph[node]) && !isEmbedding(m_configured.engine, m_graph[node]);
    return moves ? m_graph[node].op + " only moves data"
                 : "'" + m_graph[node].name + "' computes no float data";
  }

  // findNotSupported() reports entries that the backend lacks.
  bool isLeftFloat(std::size_t layer) const {
    const NodeId lead = m_configured.layers[layer].lead();
    const Node& node = m_graph[lead];
    const NodePrecision& asked = m_configured.config[lead];
    return m_configured.quantizable(layer) && !asked.float32 && node.domain.empty() &&
           m_configured.config.rule(lead).kind == PrecisionRule::Kind::Default &&
           !m_configured.backend.knows(node.op) && othersQuantize(node.op);
  }

  void addLeftFloat() {
    std::vector<std::pair<std::string, std::vector<NodeId>>> operators;
    for (std::size_t i = 0; i < m_configured.layers.size(); ++i) {
      if (!isLeftFloat(i)) continue;
      const NodeId lead = m_configured.layers[i].lead();
      const std::string& op = m_graph[lead].op;
      const auto found =
          std::ranges::find_if(operators, [&](const auto& entry) { return entry.first == op; });
      (found == operators.end() ? operators.emplace_back(op, std::vector<NodeId>()) : *found)
          .second.push_back(lead);
    }
    if (operators.empty()) return;
    std::string text =
        "backend " + m_configured.backend.name + " leaves in float what others quantize: ";
    for (std::size_t i = 0; i < std::min(operators.size(), kMaxNamed); ++i) {
      const auto& [op, nodes] = operators[i];
      text += (i == 0 ? "" : ", ") + op + " ('" + m_graph[nodes.front()].name + "'" +
              (nodes.size() > 1 ? " and " + std::to_string(nodes.size() - 1) + " more" : "") + ")";
    }
    if (operators.size() > kMaxNamed) {
      text += " and " + std::to_string(operators.size() - kMaxNamed) + " more operators";
    }
    m_found.push_back(std::move(text));
  }

  const ConfiguredLayers& m_configured;
  const Graph& m_graph;
  std::vector<std::optional<std::size_t>> m_layerOf;
  std::vector<std::string> m_found;
};

}  // namespace

std::vector<std::string> findWithoutEffect(const ConfiguredLayers& configured) {
  return Search(configured).run();
}

}  // namespace quantscope
