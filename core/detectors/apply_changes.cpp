#include "detectors/apply_changes.h"

#include <unordered_map>

#include "base/error.h"

namespace quantscope {
namespace {

/// Finds the entry of a node, or makes it.
class EntryIndex {
 public:
  explicit EntryIndex(NodeEntries& entries) : m_entries(entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) m_places.emplace(entries[i].first, i);
  }

  NodePrecision& at(const std::string& node, const NodePrecision& otherwise) {
    const auto [place, isNew] = m_places.try_emplace(node, m_entries.size());
    if (isNew) m_entries.emplace_back(node, otherwise);
    return m_entries[place->second].second;
  }

 private:
  NodeEntries& m_entries;
  std::unordered_map<std::string, std::size_t> m_places;
};

}  // namespace

NodeEntries changedEntries(const Graph& graph, const ResolvedConfig& config,
                           std::span<const ConfigChange> changes) {
  NodeEntries entries;
  EntryIndex index(entries);
  for (const ConfigChange& change : changes) {
    if (change.node.empty()) continue;
    const NodeId node = graph.findNode(change.node);
    if (!node.valid()) {
      throw Error(ErrorCode::InvalidConfiguration,
                  "the model has no node '" + change.node + "' whose precision could be changed",
                  {.file = {}, .node = change.node, .value = {}},
                  "name one of the nodes that 'inspect' lists");
    }
    NodePrecision& entry = index.at(change.node, config[node]);
    entry.float32 = change.float32;
    if (change.weight) entry.weight = *change.weight;
    if (change.activation) entry.activation = *change.activation;
    if (change.output) entry.output = *change.output;
  }
  return entries;
}

std::optional<BiasRule> changedBias(std::span<const ConfigChange> changes) {
  std::optional<BiasRule> bias;
  for (const ConfigChange& change : changes) {
    if (change.bias) bias = change.bias;
  }
  return bias;
}

void setEntries(NodeEntries& nodes, const NodeEntries& entries) {
  EntryIndex index(nodes);
  for (const auto& [node, precision] : entries) index.at(node, precision) = precision;
}

PrecisionConfig withChanges(const PrecisionConfig& config, const Graph& graph,
                            std::span<const ConfigChange> changes) {
  PrecisionConfig changed = config;
  setEntries(changed.nodes, changedEntries(graph, ResolvedConfig(graph, config), changes));
  if (const std::optional<BiasRule> bias = changedBias(changes)) changed.bias = bias;
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
