#pragma once

#include <optional>
#include <string>

#include "detectors/detector.h"

namespace quantscope {

/// The suggestion to take a value off the grid that it shares with wider values: its edges into
/// layers that have one grid for all inputs no longer share with its other points, or it is no
/// longer merged by hand. Those layers then bring it onto their grid on its way in. Nothing where
/// the backend has one grid for all of its points, where nobody else reads the value, and where the
/// groups would contradict themselves. `what` names the values in its text.
std::optional<Suggestion> splitGroup(const DetectorInput& input, const QuantizationPoint& point,
                                     const std::string& what);

}  // namespace quantscope
