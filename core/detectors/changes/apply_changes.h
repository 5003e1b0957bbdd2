#pragma once

#include <span>
#include <string>
#include <vector>

#include "detectors/findings/finding.h"
#include "graph/graph.h"
#include "precision/edits/config_edit.h"

namespace quantscope {

/// The edit that makes `changes`: an entry for every node whose precision they change
/// (unchanged parts are taken from the configuration), its equalization, the rule for biases,
/// and groups that are split. Of two changes of the same part the later one holds. Factors that are
/// not positive, normal floats count as 1. Throws InvalidConfiguration where a name matches no
/// node.
ConfigEdit editOf(const Configuration& config, const Graph& graph,
                  std::span<const ConfigChange> changes, std::string sentence);

/// The changes of all suggestions that have any, in the order of the findings.
std::vector<ConfigChange> suggestedChanges(std::span<const Finding> findings);

}  // namespace quantscope
