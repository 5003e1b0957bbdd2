#pragma once

#include <vector>

#include "detectors/findings/finding.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Puts findings in the order of reports: the most severe first, then what gains most, as far as
/// that is known, then in execution order, then in the detectors' order.
void sortFindings(const QuantizedModel& model, std::vector<Finding>& findings);

}  // namespace quantscope
