#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repair/recipe.h"

namespace quantscope {

/// A gain with its sign: "+1.20 dB"; "–" where there is none.
std::string gainText(const std::optional<double>& gain);

/// The step gains more than 1.5 × as much on the samples that it was fitted to as on those that it
/// has not seen.
bool overfits(const StepReport& step);

/// "KL 0.0123, top-1 agreement 95.8 %, 2 operators inserted, biases fitted": of what the step has
/// and does; may be empty.
std::string figuresOf(const StepReport& step);

/// What there is to say of a step beside its figures and its verdict, a sentence each: how it
/// ended, layers that it refuses, what it could not do as it was asked to, and that a figure is
/// optimistic.
std::vector<std::string> remarksOf(const StepReport& step);

/// How far the held-out figures of a repair are to be believed, a sentence each; none where no step
/// was judged by them.
std::vector<std::string> heldOutRemarks(const RepairResult& result);

/// What there is to say of the end of a repair, a sentence each: layers that are refused, raised
/// scales, biases that do not fit, sums of 16 bits that may overflow (see unsafePairs()), and
/// heldOutRemarks().
std::vector<std::string> remarksOf(const RepairResult& result);

}  // namespace quantscope
