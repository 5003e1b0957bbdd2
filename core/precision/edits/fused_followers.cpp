#include "precision/edits/fused_followers.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "precision/edits/edit_precision.h"
#include "precision/edits/entry_of_rule.h"

namespace quantscope {
namespace {

using Entry = ConfigStep::Entry;

const NodePrecision* valueOf(const ConfigStep& step) {
  return std::get_if<NodePrecision>(&step.value);
}

/// What nodes are once an edit is made.
class NodesAfter {
 public:
  NodesAfter(const Graph& graph, const ConfigEdit& edit, const Configuration& config,
             const ResolvedConfig& resolved, const ResolvedConfig& rules)
      : m_edit(edit), m_before(resolved), m_rulesBefore(rules) {
    bool ofNodes = true;
    for (const ConfigStep& step : edit.steps) {
      if (step.place != Entry::Node) {
        ofNodes = false;
      } else if (const NodeId node = graph.findNode(step.name); node.valid()) {
        m_steps[node.at()] = &step;
      }
    }
    if (ofNodes) return;
    m_config = withoutNodes(*edit.apply(config).precision);
    m_rules.emplace(graph, m_config);
  }

  bool isSet(NodeId node) const { return m_steps.contains(node.at()); }

  bool isFloat(NodeId node) const {
    const auto step = m_steps.find(node.at());
    if (step == m_steps.end()) {
      return m_before.names(node) ? m_before[node].float32 : rules()[node].float32;
    }
    const NodePrecision* value = valueOf(*step->second);
    return value != nullptr ? value->float32 : rules()[node].float32;
  }

  /// Whether the edit says so itself, of the node or by the rule that holds for it.
  bool isMeant(NodeId node) const {
    if (isSet(node)) return true;
    if (m_before.names(node)) return false;
    return std::ranges::any_of(m_edit.steps, [&](const ConfigStep& step) {
      return isEntryOf(step, rules().config(), rules().rule(node));
    });
  }

 private:
  const ResolvedConfig& rules() const { return m_rules ? *m_rules : m_rulesBefore; }

  const ConfigEdit& m_edit;
  const ResolvedConfig& m_before;
  const ResolvedConfig& m_rulesBefore;
  std::unordered_map<std::size_t, const ConfigStep*> m_steps;  // by node
  PrecisionConfig m_config;
  std::optional<ResolvedConfig> m_rules;  // none: as before
};

}  // namespace

FusedFollowers::FusedFollowers(const Engine& engine, const Backend& backend,
                               const std::vector<FloatRegion>& regions)
    : m_engine(engine), m_patternOf(engine.graph().nodes().size(), kNone) {
  const PrecisionConfig quantized;
  const ResolvedConfig resolved(engine.graph(), quantized);
  const std::vector<bool> floats = findFloatNodes(engine.graph(), regions, resolved);
  for (FusedLayer& layer : findFusedLayers(engine, backend, resolved, floats)) {
    if (layer.members.size() == 1) continue;
    for (const NodeId member : layer.members) m_patternOf[member.at()] = m_patterns.size();
    m_patterns.push_back(std::move(layer));
  }
}

// Those whose lead the edit may change, in execution order.
std::vector<std::size_t> FusedFollowers::patternsOf(const ConfigEdit& edit) const {
  std::vector<std::size_t> patterns;
  const bool ofNodes =
      std::ranges::all_of(edit.steps, [](const ConfigStep& s) { return s.place == Entry::Node; });
  if (!ofNodes) {
    patterns.resize(m_patterns.size());
    std::iota(patterns.begin(), patterns.end(), std::size_t{0});
    return patterns;
  }
  for (const ConfigStep& step : edit.steps) {
    const NodeId node = m_engine.graph().findNode(step.name);
    if (node.valid() && m_patternOf[node.at()] != kNone) {
      patterns.push_back(m_patternOf[node.at()]);
    }
  }
  std::ranges::sort(patterns);
  patterns.erase(std::ranges::unique(patterns).begin(), patterns.end());
  return patterns;
}

ConfigEdit FusedFollowers::complete(ConfigEdit edit, const Configuration& config,
                                    const ResolvedConfig& resolved,
                                    const ResolvedConfig& rules) const {
  const Graph& graph = m_engine.graph();
  const NodesAfter after(graph, edit, config, resolved, rules);
  std::vector<ConfigStep> further;
  for (const std::size_t i : patternsOf(edit)) {
    const FusedLayer& pattern = m_patterns[i];
    const bool before = resolved[pattern.lead()].float32;
    const bool now = after.isFloat(pattern.lead());
    if (before == now && !(now && after.isMeant(pattern.lead()))) continue;
    for (const NodeId member : pattern.members) {
      if (member == pattern.lead()) continue;
      ConfigStep step{.place = Entry::Node, .name = graph[member].name};
      if (now) {
        if (after.isSet(member) || after.isFloat(member)) continue;
        step.value = withFields(defaultPrecision(), {.float32 = true});
      } else if (!resolved.names(member) || !resolved[member].float32) {
        continue;
      }
      further.push_back(std::move(step));
    }
  }
  // What takes an entry away beats what else the edit makes of it.
  edit.steps.insert(edit.steps.end(), further.begin(), further.end());
  return edit;
}

NodeId FusedFollowers::leadOf(NodeId node) const {
  const std::size_t pattern = m_patternOf[node.at()];
  if (pattern == kNone || m_patterns[pattern].lead() == node) return {};
  return m_patterns[pattern].lead();
}

PrecisionConfig withoutNodes(PrecisionConfig config) {
  config.nodes.clear();
  return config;
}

}  // namespace quantscope
