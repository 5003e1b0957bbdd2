#include "precision/edits/fused_followers.h"

#include <algorithm>
#include <unordered_map>

#include "precision/edits/edit_precision.h"
#include "precision/edits/rule_name.h"

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
    const PrecisionRule& rule = rules().rule(node);
    if (rule.kind == PrecisionRule::Kind::Default) return false;
    const Entry place = rule.kind == PrecisionRule::Kind::OpType ? Entry::OpType : Entry::Pattern;
    return std::ranges::any_of(m_edit.steps, [&](const ConfigStep& step) {
      return step.place == place && step.name == ruleName(rules().config(), rule);
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

FusedFollowers::FusedFollowers(const Engine& engine, const Backend& backend)
    : m_engine(engine), m_leads(engine.graph().nodes().size()) {
  const PrecisionConfig quantized;
  const ResolvedConfig resolved(engine.graph(), quantized);
  for (FusedLayer& layer : findFusedLayers(engine, backend, resolved)) {
    if (layer.members.size() == 1) continue;
    for (const NodeId member : layer.members) {
      if (member != layer.lead()) m_leads[member.at()] = layer.lead();
    }
    m_patterns.push_back(std::move(layer));
  }
}

ConfigEdit FusedFollowers::complete(ConfigEdit edit, const Configuration& config,
                                    const ResolvedConfig& resolved,
                                    const ResolvedConfig& rules) const {
  const Graph& graph = m_engine.graph();
  const NodesAfter after(graph, edit, config, resolved, rules);
  std::vector<ConfigStep> further;
  for (const FusedLayer& pattern : m_patterns) {
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
  return m_leads[node.at()];
}

PrecisionConfig withoutNodes(PrecisionConfig config) {
  config.nodes.clear();
  return config;
}

}  // namespace quantscope
