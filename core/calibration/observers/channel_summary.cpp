#include "calibration/observers/channel_summary.h"

#include <algorithm>

#include "calibration/observers/channel_runs.h"
#include "kernels/statistics/tail_selection.h"

namespace quantscope {
namespace {

// Both rows of every channel one after the other.
std::vector<float> joined(const std::vector<float>& a, std::size_t keptA,
                          const std::vector<float>& b, std::size_t keptB) {
  std::vector<float> result;
  result.reserve(a.size() + b.size());
  for (auto i = a.begin(), j = b.begin(); i != a.end();) {
    result.insert(result.end(), i, i + static_cast<std::ptrdiff_t>(keptA));
    result.insert(result.end(), j, j + static_cast<std::ptrdiff_t>(keptB));
    i += static_cast<std::ptrdiff_t>(keptA);
    j += static_cast<std::ptrdiff_t>(keptB);
  }
  return result;
}

// The order of elements survives.
std::vector<float> rectifiedTail(std::vector<float> tail) {
  for (float& element : tail) element = std::max(element, 0.0F);
  return tail;
}

}  // namespace

std::size_t tailLength(std::size_t count, double quantile) {
  if (count == 0) return 0;
  const float rank = static_cast<float>(quantile) * static_cast<float>(count - 1);
  return count - std::min(static_cast<std::size_t>(rank), count - 1);
}

void ChannelSummary::merge(const ChannelSummary& other) {
  if (differ || other.differ || ranges.size() != other.ranges.size()) {
    *this = {};
    differ = true;
    return;
  }
  elements += other.elements;
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    ranges[c].merge(other.ranges[c]);
    moments[c].add(other.moments[c]);
  }
  tails.upper = joined(tails.upper, tails.kept, other.tails.upper, other.tails.kept);
  tails.lower = joined(tails.lower, tails.kept, other.tails.lower, other.tails.kept);
  tails.kept += other.tails.kept;
  tails.wanted += other.tails.wanted;
}

ChannelSummary summarizeChannels(std::span<const float> in, ChannelLayout layout, double quantile,
                                 std::size_t batch, const ChannelTails* rectified) {
  requireLayout(layout, in.size(), layout.channels);
  ChannelSummary summary;
  summary.elements = layout.outer * layout.inner;
  summary.ranges.resize(layout.channels);
  summary.moments.resize(layout.channels);
  ChannelTails& tails = summary.tails;
  tails.wanted = tailLength(batch * summary.elements, quantile);
  tails.kept = std::min(summary.elements, tails.wanted);
  const bool select = rectified == nullptr || rectified->kept != tails.kept ||
                      rectified->upper.size() != layout.channels * tails.kept;
  tails.upper =
      select ? std::vector<float>(layout.channels * tails.kept) : rectifiedTail(rectified->upper);
  tails.lower =
      select ? std::vector<float>(layout.channels * tails.kept) : rectifiedTail(rectified->lower);
  ChannelRuns runs(in, layout);
  TailSelection selection;
  for (std::size_t c = 0; c < layout.channels; ++c) {
    const std::span<const float> run = runs[c];
    summary.ranges[c] = minMax(run);
    summary.moments[c] = centralMoments(run, summary.ranges[c]);
    if (!select) continue;
    selection.select(run, std::span(tails.upper).subspan(c * tails.kept, tails.kept),
                     std::span(tails.lower).subspan(c * tails.kept, tails.kept));
  }
  return summary;
}

}  // namespace quantscope
