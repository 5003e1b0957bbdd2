#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/job_context.h"
#include "base/workers.h"
#include "calibration/sample_source.h"
#include "tensor/memory_use.h"

namespace quantscope {

/// How many feeds to run at the same time, from the peak that the first one has left behind.
std::size_t feedsAtOnce(const JobContext& job, std::size_t bytesBefore);

/// Calls compute(feed) for every feed of the source in parallel, and fold(feed, result) in the
/// order of the feeds on the calling thread: a result that depends on order is the same for any
/// number of threads. Only a window of feeds is in memory: as many as there are threads, or fewer
/// where the job has a memory budget and the first feed, run alone, shows that it would be
/// exceeded. Reports progress in samples.
template <class Compute, class Fold>
void forEachFeed(SampleSource& source, JobContext& job, Compute&& compute, Fold&& fold) {
  using Result = decltype(compute(std::declval<const Feed&>()));
  const std::size_t before = tensorBytes();
  restartTensorPeak();
  std::size_t window = job.memoryBudget() > 0 ? 1 : feedsAtOnce(job, before);
  std::size_t count = 0;
  for (std::size_t first = 0; first < source.feedCount(); first += count) {
    job.throwIfCancelled();
    count = std::min(window, source.feedCount() - first);
    std::vector<Feed> feeds;
    for (std::size_t i = 0; i < count; ++i) feeds.push_back(source.read(first + i));
    std::vector<Result> results(count);
    job.workers().forEach(count, [&](std::size_t i) { results[i] = compute(feeds[i]); });
    for (std::size_t i = 0; i < count; ++i) fold(feeds[i], std::move(results[i]));
    job.advance(feeds.back().firstSample + feeds.back().samples);
    if (first == 0) window = feedsAtOnce(job, before);
  }
}

}  // namespace quantscope
