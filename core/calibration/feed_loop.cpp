#include "calibration/feed_loop.h"

namespace quantscope {

std::size_t feedsAtOnce(const JobContext& job, std::size_t bytesBefore) {
  const auto threads = static_cast<std::size_t>(job.workers().threads());
  if (job.memoryBudget() == 0) return threads;
  const std::size_t perFeed = std::max<std::size_t>(1, peakTensorBytes() - bytesBefore);
  const std::size_t available =
      job.memoryBudget() > bytesBefore ? job.memoryBudget() - bytesBefore : 0;
  return std::clamp<std::size_t>(available / perFeed, 1, threads);
}

}  // namespace quantscope
