#pragma once

#include <optional>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "compare/compared_model.h"

namespace quantscope {

/// Elements of a value over some samples, always those at the same places.
struct ValuePrint {
  std::vector<std::int64_t> shape;  ///< without axes of extent 1; of the first feed
  std::size_t elementCount = 0;
  std::vector<float> elements;  ///< empty where the value was not computed
};

/// Runs a model on feeds of its own inputs and takes the print of every compared value.
/// Throws Cancelled.
std::vector<ValuePrint> takePrints(const ComparedModel& model, const std::vector<Feed>& feeds,
                                   const JobContext& job);

/// How alike two prints are, 0 … 1: the mean of their correlation (0 where negative) and of
/// 1 − Σ(x−y)² / max(Σx², Σy²). None where they cannot be compared: other numbers of elements, or
/// nothing computed.
std::optional<double> likeness(const ValuePrint& a, const ValuePrint& b);

}  // namespace quantscope
