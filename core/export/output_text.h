#pragma once

#include <optional>
#include <string>

#include "analysis/analysis_result.h"

namespace quantscope {

/// "31.2 dB"; "exact" for an infinite SQNR, "not finite" for −∞, "not computed" for none.
std::string sqnrText(const std::optional<double>& sqnrDb);

/// The class that is right, before and after quantization: "91.4 → 90.9 %", or as counts where
/// few samples have labels, "8/12 → 9/12"; "–" where it is not known.
std::string accuracyText(const OutputResult& output);
/// How much the accuracy once quantized wins over that of another result of the same output: "+2"
/// samples where both count equally many, else "−8.3" percentage points; empty where that is 0 or
/// one of them is not known.
std::string accuracyChangeText(const OutputResult& now, const OutputResult& before);

/// A line of a terminal: "output NAME: SQNR 31.2 dB, top-1 agreement 99.50 %, accuracy 91.40 % ->
/// 90.90 %", with what is known of the output.
std::string outputText(const OutputResult& output);

}  // namespace quantscope
