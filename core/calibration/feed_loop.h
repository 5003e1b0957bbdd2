#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/job_context.h"
#include "base/workers.h"
#include "calibration/sample_source.h"
#include "tensor/memory_use.h"

namespace quantscope {

/// Number of feeds to run at the same time, from the memory peak of the first one.
std::size_t feedsAtOnce(const JobContext& job, std::size_t bytesBefore);

/// Calls work(feeds) for the feeds of the source in their order, as many at once as there are
/// threads, or fewer where the job has a memory budget and the first feed, run alone, shows that it
/// would be exceeded. Reports progress in samples. `most`: feeds to stop after.
template <class Work>
void forEachWindow(SampleSource& source, JobContext& job, Work&& work,
                   std::size_t most = std::numeric_limits<std::size_t>::max()) {
  const std::size_t before = tensorBytes();
  restartTensorPeak();
  const std::size_t feedCount = std::min(most, source.feedCount());
  std::size_t window = job.memoryBudget() > 0 ? 1 : feedsAtOnce(job, before);
  std::size_t count = 0;
  std::size_t samples = 0;
  for (std::size_t first = 0; first < feedCount; first += count) {
    job.throwIfCancelled();
    count = std::min(window, feedCount - first);
    std::vector<Feed> feeds;
    for (std::size_t i = 0; i < count; ++i) feeds.push_back(source.read(first + i));
    work(feeds);
    for (const Feed& feed : feeds) samples += feed.samples;
    job.advance(samples);
    if (first == 0) window = feedsAtOnce(job, before);
  }
}

/// Calls compute(feed) for every feed of the source in parallel, and fold(feed, result) in the
/// order of the feeds on the calling thread: a result that depends on order is the same for any
/// number of threads. Only a window of feeds is in memory, as by forEachWindow().
template <class Compute, class Fold>
void forEachFeed(SampleSource& source, JobContext& job, Compute&& compute, Fold&& fold,
                 std::size_t most = std::numeric_limits<std::size_t>::max()) {
  using Result = decltype(compute(std::declval<const Feed&>()));
  const auto work = [&](const std::vector<Feed>& feeds) {
    std::vector<Result> results(feeds.size());
    job.workers().forEach(feeds.size(), [&](std::size_t i) { results[i] = compute(feeds[i]); });
    for (std::size_t i = 0; i < feeds.size(); ++i) fold(feeds[i], std::move(results[i]));
  };
  forEachWindow(source, job, work, most);
}

}  // namespace quantscope
