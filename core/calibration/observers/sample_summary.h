#pragma once

#include "calibration/observers/channel_summary.h"
#include "kernels/statistics/central_moments.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {

/// The contribution of one sample to the statistics that depend on the order of samples. A default
/// one means that the value was not computed for the sample.
struct SampleSummary {
  CentralMoments moments;
  MinMax range;
  ChannelSummary channels;
  ChannelSummary reportChannels;  ///< along the axis asked for, where that is not the channels' own

  void merge(const SampleSummary& other);
};

}  // namespace quantscope
