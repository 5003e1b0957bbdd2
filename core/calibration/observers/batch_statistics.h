#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "calibration/observers/model_report_statistics.h"
#include "calibration/observers/observation.h"
#include "calibration/observers/sample_summary.h"

namespace quantscope {

/// The statistics of one value that depend on the order of samples, or on how they are grouped
/// into batches. Fed sample by sample, in order.
class BatchStatistics {
 public:
  /// `batch` ≥ 1 samples form a batch; a short last one counts.
  BatchStatistics(std::size_t batch, std::span<const double> averagingConstants,
                  double referenceQuantile, int reportAxis);

  void fold(const SampleSummary& summary);
  /// Closes a batch that is still open and writes its part of `observation`, whose range is known.
  /// `channelAxis` is that of SampleSummary::channels.
  void finish(int channelAxis, Observation& observation);

 private:
  void closeBatch();
  void recordRange();
  void finishChannels(int channelAxis, Observation& observation);

  std::size_t m_batch;
  std::size_t m_samplesInBatch = 0;
  MinMax m_range;
  std::vector<MinMax> m_channels;

  ModelReportStatistics m_report;
  int m_reportAxis;
  ModelReportStatistics m_axisReport;  // along another axis than the channels'

  CentralMoments m_moments;
  std::size_t m_batches = 0;  // batches with a finite number
  double m_rangeSum = 0;      // Σ over those of max − min
  std::vector<MovingAverageRange> m_averages;
  std::vector<Range> m_ranges;  // of m_batchesPerRange batches each, the last one maybe of fewer
  std::size_t m_batchesPerRange = 1;
  std::size_t m_batchesInLastRange = 0;
};

}  // namespace quantscope
