#pragma once

#include <optional>
#include <vector>

#include "jobs/analysis_snapshot.h"
#include "precision/edits/config_edit.h"

namespace quantscope {

/// The names that a configuration may call a point by, the one that the window writes first: each
/// node of a fused pattern stands for its output.
std::vector<PointName> namesOf(const AnalysisSnapshot& snapshot, std::size_t point);

/// The points whose groups can be merged with that of `point`: points with an observer, in other
/// groups that ask for the same precision. Empty for a point without an observed range.
std::vector<std::size_t> joinablePoints(const AnalysisSnapshot& snapshot, std::size_t point);

/// Edits of manual merges and splits; their sentences are in the user's language and complete "Undo
/// …".
///
/// The edit that takes a point out of its group, a manual merge or an implicit one; nullopt if only
/// the backend makes it share, or if it is alone.
std::optional<ConfigEdit> partingOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                                    std::size_t point);
/// Removes its entries in `join`, or in `part`; nullopt if it has none.
std::optional<ConfigEdit> unjoiningOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                                      std::size_t point);
std::optional<ConfigEdit> unpartingOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                                      std::size_t point);
ConfigEdit joiningOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                     std::size_t point, std::size_t other);

}  // namespace quantscope
