#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Concat, Add, Sub and Sum with an operand so much narrower than the output's grid that few of its
/// codes are left for it. Statistic: codes that the narrowest operand spans, its range over the
/// grid's step; threshold: a sixteenth of all codes, but no more than 16. Operands of one value are
/// passed over.
std::vector<Finding> findRangeMismatch(const DetectorInput& input);

}  // namespace quantscope
