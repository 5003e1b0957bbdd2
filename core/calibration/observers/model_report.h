#pragma once

#include <cstddef>
#include <vector>

#include "kernels/statistics/central_moments.h"
#include "quant/quant_params.h"

namespace quantscope {

/// How far one end of a channel's numbers lies beyond nearly all of them, averaged over batches.
///
/// Of a batch with n finite elements in the channel, extreme = q_1 and reference = q_p, where the
/// quantile q_p is the element of rank ⌊p·(n − 1)⌋ in ascending order ("lower" interpolation; the
/// product in float, as PyTorch takes it) and p = ModelReport::referenceQuantile. The lower tail is
/// the upper one of −x. −0 counts as 0.
struct TailStatistics {
  /// Σ over `batches` of r = |extreme / reference|, or 1/r where r < 1: so every batch gives at
  /// least 1, and one whose reference has the other sign does not cancel another.
  double ratioSum = 0;
  std::size_t batches = 0;        ///< with neither extreme nor reference 0
  std::size_t sparseBatches = 0;  ///< with reference 0 but another extreme, or the reverse
  /// The average as PyTorch's ModelReportObserver keeps it, in float and in the order of batches:
  /// of extreme / reference with its sign; a reference of 0 counts as ±FLT_MAX, a batch with both 0
  /// not at all. 0 without a counted batch.
  float observerAverage = 0;
  std::size_t observerBatches = 0;  ///< percentile_batches_tracked

  /// Mean of the ratios; 1 without a batch.
  double meanRatio() const { return batches == 0 ? 1 : ratioSum / static_cast<double>(batches); }
};

/// One channel, over all samples.
struct ChannelReport {
  Range range;             ///< smallest and largest; empty without a finite element
  CentralMoments moments;  ///< over all samples, for kurtosis
  TailStatistics upper;
  TailStatistics lower;
  std::size_t constantBatches = 0;  ///< batches whose finite elements (at least one) were equal
};

/// The record of PyTorch's ModelReportObserver for a value along one axis, and besides it the lower
/// tail and the moments; its ranges of whole batches are Observation::averageBatchRange and
/// Observation::batchToEpoch. Counts finite elements; a batch is ObservationSettings::batch
/// samples, all their elements taken together; its channels without a finite element are left out.
///
/// Memory: for each open batch the ends of every channel, up to 5 % of its elements. Exact, as long
/// as the samples of a batch have the same shape and a value is computed once in each of them;
/// otherwise a reference may lie outside of the kept ends, and is then the nearest kept element.
/// The same bits for any number of threads.
struct ModelReport {
  int axis = -1;
  double referenceQuantile = 0;         ///< p
  std::vector<ChannelReport> channels;  ///< per index of `axis`
};

}  // namespace quantscope
