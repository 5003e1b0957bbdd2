#pragma once

#include <vector>

namespace quantscope::bench {

/// Durations of frames in milliseconds.
struct FrameTimes {
  double median = 0;
  double p95 = 0;
  double longest = 0;
};

/// Summarizes at least one frame.
FrameTimes summarize(std::vector<double> milliseconds);

}  // namespace quantscope::bench
