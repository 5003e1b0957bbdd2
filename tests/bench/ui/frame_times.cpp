#include "bench/ui/frame_times.h"

#include <algorithm>

namespace quantscope::bench {

FrameTimes summarize(std::vector<double> milliseconds) {
  std::ranges::sort(milliseconds);
  const auto quantile = [&](double share) {
    return milliseconds[static_cast<std::size_t>(share *
                                                 static_cast<double>(milliseconds.size() - 1))];
  };
  return {quantile(0.5), quantile(0.95), milliseconds.back()};
}

}  // namespace quantscope::bench
