#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "detectors/finding.h"
#include "graph/graph.h"
#include "precision/config/resolved_config.h"

namespace quantscope {

/// What a configuration says of single nodes, by name: PrecisionConfig::nodes.
using NodeEntries = std::vector<std::pair<std::string, NodePrecision>>;

/// The whole precision of every node that `changes` name: what they say, and for the rest what the
/// configuration says of the node already. Of two changes of the same part the later one holds.
/// Throws InvalidConfiguration where a name matches no node.
NodeEntries changedEntries(const Graph& graph, const ResolvedConfig& config,
                           std::span<const ConfigChange> changes);
/// The rule for biases that `changes` ask for, of several the last; none where they do not.
std::optional<BiasRule> changedBias(std::span<const ConfigChange> changes);
/// Sets entries; those of other nodes stay.
void setEntries(NodeEntries& nodes, const NodeEntries& entries);

/// The configuration with the changed entries and rules.
PrecisionConfig withChanges(const PrecisionConfig& config, const Graph& graph,
                            std::span<const ConfigChange> changes);

/// The changes of all suggestions that have any, in the order of the findings.
std::vector<ConfigChange> suggestedChanges(std::span<const Finding> findings);

}  // namespace quantscope
