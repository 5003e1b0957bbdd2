#include "detectors/apply_changes.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "precision/resolved_config.h"

namespace quantscope {
namespace {

using NodeEntry = std::pair<std::string, NodePrecision>;

NodePrecision& entryOf(PrecisionConfig& config, const std::string& node,
                       const NodePrecision& before) {
  const auto found = std::ranges::find(config.nodes, node, &NodeEntry::first);
  if (found != config.nodes.end()) return found->second;
  return config.nodes.emplace_back(node, before).second;
}

}  // namespace

PrecisionConfig withChanges(const PrecisionConfig& config, const Graph& graph,
                            std::span<const ConfigChange> changes) {
  const ResolvedConfig resolved(graph, config);
  std::unordered_map<std::string_view, NodeId> byName;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    byName.emplace(graph.nodes()[i].name, NodeId(i));
  }
  PrecisionConfig changed = config;
  for (const ConfigChange& change : changes) {
    const auto node = byName.find(change.node);
    if (node == byName.end()) {
      throw Error(ErrorCode::InvalidConfiguration,
                  "the model has no node '" + change.node + "' whose precision could be changed",
                  {.file = {}, .node = change.node, .value = {}},
                  "name one of the nodes that 'inspect' lists");
    }
    NodePrecision& entry = entryOf(changed, change.node, resolved[node->second]);
    entry.float32 = change.float32;
    if (change.weight) entry.weight = *change.weight;
    if (change.activation) entry.activation = *change.activation;
    if (change.output) entry.output = *change.output;
  }
  return changed;
}

std::vector<ConfigChange> suggestedChanges(std::span<const Finding> findings) {
  std::vector<ConfigChange> changes;
  for (const Finding& finding : findings) {
    if (!finding.suggestion) continue;
    const std::vector<ConfigChange>& own = finding.suggestion->changes;
    changes.insert(changes.end(), own.begin(), own.end());
  }
  return changes;
}

}  // namespace quantscope
