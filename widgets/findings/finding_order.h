#pragma once

#include <Qt>
#include <cstddef>
#include <vector>

#include "detectors/findings/finding.h"
#include "widgets/view/layer_index.h"

namespace quantscope {

/// The sort keys of findings.
enum class FindingOrder {
  Report,  ///< as the detectors gave them: the most severe first, then in execution order
  Severity,
  Layer,  ///< in execution order
  Statistic,
  Threshold,
  Gain,
};

/// Indices into `findings`, sorted; those that are equal stay in their order, and those without a
/// figure come last, whatever the direction.
std::vector<std::size_t> orderFindings(const std::vector<Finding>& findings,
                                       const LayerIndex& layers, FindingOrder by,
                                       Qt::SortOrder direction);

}  // namespace quantscope
