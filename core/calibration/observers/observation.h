#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "calibration/histograms/channel_histograms.h"
#include "calibration/histograms/linear_histogram.h"
#include "calibration/histograms/log_linear_histogram.h"
#include "calibration/observers/model_report.h"
#include "quant/quant_params.h"

namespace quantscope {

/// A moving average of the batches' ranges: m ← m + constant · (m_batch − m), the first batch sets
/// it. Depends on the batches and their order, and on nothing else.
struct MovingAverageRange {
  double constant = 0;
  Range range;
  std::vector<Range> channels;  ///< like Observation::channels
};

/// Entries of Observation::batchRanges at most, so that memory does not grow with the data.
inline constexpr std::size_t kMaxBatchRanges = 256;

/// The statistics that calibration keeps of one value, over the finite elements of all samples. NaN
/// and ±Inf are counted and skipped. Ranges are empty where there was no finite element.
struct Observation {
  std::size_t samples = 0;    ///< samples that the value was computed for
  std::size_t count = 0;      ///< finite elements
  std::size_t nonFinite = 0;  ///< NaN and ±Inf
  /// Finite elements that become infinite in these types, which have no scale to prevent it.
  std::size_t float16Overflows = 0;
  std::size_t bfloat16Overflows = 0;
  Range range;  ///< smallest and largest
  double mean = 0;
  double standardDeviation = 0;  ///< of the population: √(Σ(x − mean)² / count)
  double kurtosis = 0;           ///< CentralMoments::kurtosis()
  int channelAxis = -1;          ///< −1 = none, or its extent differs between samples
  std::vector<Range> channels;   ///< per index of channelAxis
  /// Per channel where ObservationSettings ask for them, else empty.
  std::vector<ChannelHistogram> channelHistograms;
  std::vector<MovingAverageRange> movingAverages;
  std::size_t batches = 0;       ///< with a finite element
  double averageBatchRange = 0;  ///< mean over those of max − min
  /// averageBatchRange divided by max − min over all; absent where that is 0.
  std::optional<double> batchToEpoch;
  /// Range of each batch in their order, or of several neighbouring batches at a time so that there
  /// are at most kMaxBatchRanges; empty where a batch had no finite element.
  std::vector<Range> batchRanges;
  std::size_t batchesPerRange = 1;
  /// Along channelAxis where there is one; along axis 1 too where ObservationSettings ask for it.
  std::vector<ModelReport> modelReports;
  LinearHistogram linear;        ///< for display, and for what PyTorch computes from its own
  LogLinearHistogram logLinear;  ///< for the searches of a range

  float absmax() const { return std::max(std::abs(range.low), std::abs(range.high)); }
  /// nullptr where there is none along that axis.
  const ModelReport* modelReport(int axis) const;
  /// The memory that it takes.
  std::size_t bytes() const;
  LinearBins linearBins() const { return linear.bins(range.low, range.high); }
};

}  // namespace quantscope
