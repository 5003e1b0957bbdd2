#pragma once

#include <span>

#include "detectors/finding.h"
#include "graph/graph.h"

namespace quantscope {

/// The configuration with an entry of its own for every node that `changes` name: what they say,
/// and for the rest what the configuration says of the node already. Of two changes of the same
/// part the later one holds. Throws InvalidConfiguration where a name matches no node.
PrecisionConfig withChanges(const PrecisionConfig& config, const Graph& graph,
                            std::span<const ConfigChange> changes);

/// The changes of all suggestions that have any, in the order of the findings.
std::vector<ConfigChange> suggestedChanges(std::span<const Finding> findings);

}  // namespace quantscope
