#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/channel_layout.h"
#include "kernels/statistics/central_moments.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {

/// Elements of `count` that rank above the quantile p or are it: count − ⌊p·(count − 1)⌋, the
/// product in float as PyTorch's `quantile` takes it; between 1 and `count`. 0 for no element.
std::size_t tailLength(std::size_t count, double quantile);

/// The ends of the channels of one sample, or of several: of channel c at [c·kept, (c + 1)·kept),
/// in no order; ∓Inf stands for one that is missing.
struct ChannelTails {
  std::size_t kept = 0;
  std::size_t wanted = 0;  ///< most that a whole batch needs
  std::vector<float> upper;
  std::vector<float> lower;
};

/// The contribution of one sample to the statistics of channels along one axis. Empty for a value
/// without channels, or that was not computed.
struct ChannelSummary {
  std::size_t elements = 0;  ///< per channel, not finite ones included
  std::vector<MinMax> ranges;
  std::vector<CentralMoments> moments;
  ChannelTails tails;
  bool differ = false;  ///< the number of channels is not the same everywhere: all else is empty

  std::size_t count(std::size_t channel) const { return elements - ranges[channel].nonFinite; }
  /// Takes in what else the same sample had for this value.
  void merge(const ChannelSummary& other);
};

/// Summarizes a dense array; tails are as long as a batch of `batch` such arrays needs at most.
/// `rectified`: for elements max(x, 0) of an array of finite x, the tails of that array, summed up
/// alike. Throws InvalidParameters where the layout does not fit.
ChannelSummary summarizeChannels(std::span<const float> in, ChannelLayout layout, double quantile,
                                 std::size_t batch = 1, const ChannelTails* rectified = nullptr);

}  // namespace quantscope
