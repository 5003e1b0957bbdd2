#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/job_context.h"
#include "base/workers.h"
#include "calibration/sample_source.h"

namespace quantscope {

/// Calls compute(feed) for every feed of the source in parallel, and fold(feed, result) in the
/// order of the feeds on the calling thread: a result that depends on order is the same for any
/// number of threads. Only a window of feeds is in memory. Reports progress in samples.
template <class Compute, class Fold>
void forEachFeed(SampleSource& source, JobContext& job, Compute&& compute, Fold&& fold) {
  using Result = decltype(compute(std::declval<const Feed&>()));
  const auto window = static_cast<std::size_t>(job.workers().threads());
  for (std::size_t first = 0; first < source.feedCount(); first += window) {
    job.throwIfCancelled();
    const std::size_t count = std::min(window, source.feedCount() - first);
    std::vector<Feed> feeds;
    for (std::size_t i = 0; i < count; ++i) feeds.push_back(source.read(first + i));
    std::vector<Result> results(count);
    job.workers().forEach(count, [&](std::size_t i) { results[i] = compute(feeds[i]); });
    for (std::size_t i = 0; i < count; ++i) fold(feeds[i], std::move(results[i]));
    job.advance(feeds.back().firstSample + feeds.back().samples);
  }
}

}  // namespace quantscope
