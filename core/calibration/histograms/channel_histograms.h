#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "calibration/histograms/linear_histogram.h"
#include "calibration/histograms/log_linear_histogram.h"
#include "kernels/channel_layout.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {

/// Both histograms of one channel.
struct ChannelHistogram {
  LinearHistogram linear;
  LogLinearHistogram logLinear;
};

/// The histograms of all channels, about 10 KiB each. Exact; independent of the samples' order.
class ChannelHistograms {
 public:
  /// Widens the linear bins for channels of these ranges; with no channel yet it takes their number
  /// over. False where there is another number of channels.
  bool widen(std::span<const MinMax> ranges);
  /// Empty histograms with the present bins.
  ChannelHistograms emptied() const;
  /// Counts a dense array whose channels have these ranges.
  void count(std::span<const float> in, ChannelLayout layout, std::span<const MinMax> ranges);
  /// Takes those in that were counted at these or finer bins.
  void add(ChannelHistograms finer);

  std::vector<ChannelHistogram> take() { return std::move(m_channels); }

 private:
  std::vector<MinMax> m_ranges;
  std::vector<ChannelHistogram> m_channels;
};

}  // namespace quantscope
