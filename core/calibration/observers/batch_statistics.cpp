#include "calibration/observers/batch_statistics.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

// Computes in float and in PyTorch's order, so that the bits agree.
float moved(float average, float batch, float constant) {
  return average + constant * (batch - average);
}

void average(Range& range, const MinMax& batch, double constant) {
  if (batch.empty()) return;
  const auto share = static_cast<float>(constant);
  if (range.empty) {
    range = {batch.min, batch.max, false};
  } else {
    range = {moved(range.low, batch.min, share), moved(range.high, batch.max, share), false};
  }
}

}  // namespace

BatchStatistics::BatchStatistics(std::size_t batch, std::span<const double> averagingConstants,
                                 double referenceQuantile, int reportAxis)
    : m_batch(std::max<std::size_t>(batch, 1)),
      m_report(referenceQuantile),
      m_reportAxis(reportAxis),
      m_axisReport(referenceQuantile) {
  for (const double constant : averagingConstants) {
    m_averages.push_back({.constant = constant, .range = {}, .channels = {}});
  }
}

void BatchStatistics::fold(const SampleSummary& summary) {
  m_moments.add(summary.moments);
  m_range.merge(summary.range);
  const std::vector<MinMax>& channels = summary.channels.ranges;
  if (m_channels.size() < channels.size()) m_channels.resize(channels.size());
  for (std::size_t c = 0; c < channels.size(); ++c) m_channels[c].merge(channels[c]);
  m_report.fold(summary.channels);
  m_axisReport.fold(summary.reportChannels);
  if (++m_samplesInBatch == m_batch) closeBatch();
}

void BatchStatistics::recordRange() {
  if (m_ranges.empty() || m_batchesInLastRange == m_batchesPerRange) {
    if (m_ranges.size() == kMaxBatchRanges) {
      for (std::size_t i = 0; i < kMaxBatchRanges / 2; ++i) {
        m_ranges[i] = m_ranges[2 * i];
        m_ranges[i].include(m_ranges[2 * i + 1]);
      }
      m_ranges.resize(kMaxBatchRanges / 2);
      m_batchesPerRange *= 2;
    }
    m_ranges.emplace_back();
    m_batchesInLastRange = 0;
  }
  if (!m_range.empty()) m_ranges.back().include(Range{m_range.min, m_range.max, false});
  ++m_batchesInLastRange;
}

void BatchStatistics::closeBatch() {
  recordRange();
  if (!m_range.empty()) {
    ++m_batches;
    m_rangeSum += static_cast<double>(m_range.max) - m_range.min;
  }
  for (MovingAverageRange& moving : m_averages) {
    average(moving.range, m_range, moving.constant);
    moving.channels.resize(std::max(moving.channels.size(), m_channels.size()));
    for (std::size_t c = 0; c < m_channels.size(); ++c) {
      average(moving.channels[c], m_channels[c], moving.constant);
    }
  }
  m_report.closeBatch();
  m_axisReport.closeBatch();
  m_samplesInBatch = 0;
  m_range = {};
  std::fill(m_channels.begin(), m_channels.end(), MinMax());
}

void BatchStatistics::finish(int channelAxis, Observation& observation) {
  if (m_samplesInBatch > 0) closeBatch();
  observation.mean = m_moments.mean;
  observation.standardDeviation = std::sqrt(m_moments.variance());
  observation.kurtosis = m_moments.kurtosis();
  observation.batches = m_batches;
  if (m_batches > 0) observation.averageBatchRange = m_rangeSum / static_cast<double>(m_batches);
  const double epochRange = static_cast<double>(observation.range.high) - observation.range.low;
  if (epochRange > 0) observation.batchToEpoch = observation.averageBatchRange / epochRange;
  finishChannels(channelAxis, observation);
  observation.batchRanges = std::move(m_ranges);
  observation.batchesPerRange = m_batchesPerRange;
}

void BatchStatistics::finishChannels(int channelAxis, Observation& observation) {
  observation.movingAverages = std::move(m_averages);
  ModelReport report = m_report.finish(channelAxis);
  if (report.channels.empty()) {
    for (MovingAverageRange& moving : observation.movingAverages) moving.channels.clear();
  } else {
    observation.channelAxis = channelAxis;
    for (const ChannelReport& channel : report.channels) {
      observation.channels.push_back(channel.range);
    }
    observation.modelReports.push_back(std::move(report));
  }
  ModelReport along = m_axisReport.finish(m_reportAxis);
  if (!along.channels.empty()) observation.modelReports.push_back(std::move(along));
}

}  // namespace quantscope
