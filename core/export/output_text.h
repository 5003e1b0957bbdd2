#pragma once

#include <optional>
#include <string>

#include "analysis/analysis_result.h"

namespace quantscope {

/// "31.2 dB"; "exact" for an infinite SQNR, "not finite" for −∞, "not computed" for none.
std::string decibelsText(const std::optional<double>& sqnrDb);

/// A line of a terminal: "output NAME: SQNR 31.2 dB, top-1 agreement 99.50 %, accuracy 91.40 % ->
/// 90.90 %", with what is known of the output.
std::string outputText(const OutputResult& output);

}  // namespace quantscope
