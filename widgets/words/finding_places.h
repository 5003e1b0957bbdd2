#pragma once

#include "jobs/analysis_snapshot.h"
#include "widgets/words/finding_groups.h"

namespace quantscope {

/// All nodes of the layers in a scope.
FindingsPlace placeOfScope(const AnalysisSnapshot& snapshot, const std::string& scope);
/// All nodes of some layers (indices of AnalysisResult::layers).
FindingsPlace placeOfLayers(const AnalysisSnapshot& snapshot, const QString& title,
                            const std::vector<std::size_t>& layers);

}  // namespace quantscope
