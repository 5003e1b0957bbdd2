#pragma once

#include <cstddef>
#include <vector>

#include "calibration/observers/channel_summary.h"
#include "calibration/observers/model_report.h"

namespace quantscope {

/// Fills a ModelReport from the summaries of samples, in their order.
class ModelReportStatistics {
 public:
  explicit ModelReportStatistics(double referenceQuantile)
      : m_referenceQuantile(referenceQuantile) {}

  void fold(const ChannelSummary& summary);
  void closeBatch();
  /// A report without channels if their number differed between samples. `axis` is the summaries'.
  ModelReport finish(int axis);

 private:
  bool accepts(const ChannelSummary& summary);
  void closeChannel(std::size_t channel);

  double m_referenceQuantile;
  bool m_channelsDiffer = false;
  ModelReport m_report;
  ChannelSummary m_batch;  // of the batch that is open
};

}  // namespace quantscope
