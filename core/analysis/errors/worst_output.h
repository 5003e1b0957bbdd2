#pragma once

#include <optional>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// The output with the lowest SQNR, the first of equals; null where no output has one.
const OutputResult* worstOutput(const std::vector<OutputResult>& outputs);

/// The lowest SQNR of the outputs, which the window's headline shows; none where no output has one.
std::optional<double> worstOutputSqnr(const std::vector<OutputResult>& outputs);

/// after − before, in dB; 0 where both are the same infinity.
double gainBetween(double before, double after);

}  // namespace quantscope
