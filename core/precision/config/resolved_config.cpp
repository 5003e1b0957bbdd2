#include "precision/config/resolved_config.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/configuration_error.h"

namespace quantscope {
namespace {

using Kind = PrecisionRule::Kind;

}  // namespace

std::string describe(const PrecisionConfig& config, const PrecisionRule& rule) {
  switch (rule.kind) {
    case Kind::OpType:
      return "op_types." + config.opTypes[rule.index].first;
    case Kind::Pattern:
      return "patterns[" + std::to_string(rule.index) + "] (" +
             config.patterns[rule.index].match.expression() + ")";
    case Kind::Node:
      return "nodes." + config.nodes[rule.index].first;
    case Kind::Default:
      break;
  }
  return "default";
}

ResolvedConfig::ResolvedConfig(const Graph& graph, const PrecisionConfig& config)
    : m_config(config), m_rules(graph.nodes().size()) {
  applyOpTypes(graph);
  applyPatterns(graph);
  applyNodes(graph);
  noteIdle(graph);
  requireKnownPoints(config.groups, graph);
}

const NodePrecision& ResolvedConfig::operator[](NodeId node) const {
  const PrecisionRule& rule = m_rules[node.at()];
  switch (rule.kind) {
    case Kind::OpType:
      return m_config.opTypes[rule.index].second;
    case Kind::Pattern:
      return m_config.patterns[rule.index].use;
    case Kind::Node:
      return m_config.nodes[rule.index].second;
    case Kind::Default:
      break;
  }
  return m_config.defaults;
}

void ResolvedConfig::applyOpTypes(const Graph& graph) {
  if (m_config.opTypes.empty()) return;
  std::unordered_map<std::string_view, std::size_t> entries;
  for (std::size_t i = 0; i < m_config.opTypes.size(); ++i) entries[m_config.opTypes[i].first] = i;
  for (std::size_t node = 0; node < m_rules.size(); ++node) {
    const auto entry = entries.find(graph.nodes()[node].op);
    if (entry != entries.end()) m_rules[node] = {Kind::OpType, entry->second};
  }
}

void ResolvedConfig::applyPatterns(const Graph& graph) {
  std::vector<bool> taken(m_rules.size(), false);
  for (std::size_t i = 0; i < m_config.patterns.size(); ++i) {
    const NamePattern& pattern = m_config.patterns[i].match;
    bool matched = false;
    for (std::size_t node = 0; node < m_rules.size(); ++node) {
      if (!pattern.matches(graph.nodes()[node].name)) continue;
      matched = true;
      if (!taken[node]) m_rules[node] = {Kind::Pattern, i};
      taken[node] = true;
    }
    if (matched) continue;
    throw configurationError(
        "patterns[" + std::to_string(i) + "].match",
        "(" + pattern.expression() + ") matches no node of the model",
        "write an expression for the whole name of nodes that `inspect` lists, or remove "
        "the entry");
  }
}

void ResolvedConfig::applyNodes(const Graph& graph) {
  for (std::size_t i = 0; i < m_config.nodes.size(); ++i) {
    const std::string& name = m_config.nodes[i].first;
    const NodeId node = graph.findNode(name);
    if (!node.valid()) {
      throw configurationError("nodes." + name, "matches no node of the model",
                               "use a name that `inspect` lists");
    }
    m_rules[node.at()] = {Kind::Node, i};
  }
}

// Patterns and nodes that match nothing are errors.
void ResolvedConfig::noteIdle(const Graph& graph) {
  std::vector<bool> opTypes(m_config.opTypes.size(), false);
  std::vector<bool> patterns(m_config.patterns.size(), false);
  for (const PrecisionRule& rule : m_rules) {
    if (rule.kind == Kind::OpType) opTypes[rule.index] = true;
    if (rule.kind == Kind::Pattern) patterns[rule.index] = true;
  }
  const auto note = [this](const PrecisionRule& rule, const std::string& why) {
    m_notices.push_back("'" + describe(m_config, rule) + "' has no effect: " + why);
  };
  for (std::size_t i = 0; i < opTypes.size(); ++i) {
    if (opTypes[i]) continue;
    const std::string& op = m_config.opTypes[i].first;
    const bool occurs = std::ranges::find(graph.nodes(), op, &Node::op) != graph.nodes().end();
    note({Kind::OpType, i}, occurs ? "'patterns' and 'nodes' take each node that it matches"
                                   : "the model has no " + op);
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (patterns[i]) continue;
    note({Kind::Pattern, i}, "patterns before it and 'nodes' take each node that it matches");
  }
}

}  // namespace quantscope
