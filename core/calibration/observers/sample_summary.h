#pragma once

#include "calibration/observers/channel_summary.h"
#include "kernels/central_moments.h"
#include "kernels/min_max.h"

namespace quantscope {

/// What one sample contributes to the statistics that depend on the order of samples. A default
/// one stands for a sample that the value was not computed for.
struct SampleSummary {
  CentralMoments moments;
  MinMax range;
  ChannelSummary channels;
  ChannelSummary reportChannels;  ///< along the axis asked for, where that is not the channels' own

  void merge(const SampleSummary& other);
};

}  // namespace quantscope
