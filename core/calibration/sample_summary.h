#pragma once

#include <cstddef>
#include <vector>

#include "kernels/min_max.h"
#include "kernels/moments.h"

namespace quantscope {

/// What one sample contributes to the statistics that depend on the order of samples. A default
/// one stands for a sample that the value was not computed for.
struct SampleSummary {
  Moments moments;
  MinMax range;
  std::vector<MinMax> channels;  ///< empty without a channel axis
};

}  // namespace quantscope
