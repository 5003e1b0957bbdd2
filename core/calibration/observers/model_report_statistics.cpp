#include "calibration/observers/model_report_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace quantscope {
namespace {

// The `kept` first in the order `before` of each channel's candidates, the last of them in front.
template <class Before>
void keepOutermost(std::vector<float>& tails, std::size_t channels, std::size_t kept,
                   Before before) {
  if (channels == 0) return;
  const std::size_t candidates = tails.size() / channels;
  if (candidates <= kept) return;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto first = tails.begin() + static_cast<std::ptrdiff_t>(c * candidates);
    const auto last = first + static_cast<std::ptrdiff_t>(kept - 1);
    std::nth_element(first, last, first + static_cast<std::ptrdiff_t>(candidates), before);
    std::iter_swap(first, last);
    std::copy_n(first, kept, tails.begin() + static_cast<std::ptrdiff_t>(c * kept));
  }
  tails.resize(channels * kept);
}

void shorten(ChannelTails& tails, std::size_t channels) {
  tails.kept = std::min(tails.kept, tails.wanted);
  keepOutermost(tails.upper, channels, tails.kept, std::greater());
  keepOutermost(tails.lower, channels, tails.kept, std::less());
}

// The `length`-th value counted from the extreme, or the last if there are fewer.
template <class Before>
float reference(std::span<float> tail, std::size_t length, Before before) {
  if (length < tail.size()) {
    std::nth_element(tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(length - 1),
                     tail.end(), before);
    tail = tail.first(length);
  }
  // If fewer were kept than requested, the missing elements are infinite ones.
  float innermost = tail.front();
  for (const float x : tail) {
    if (std::isfinite(x) && (!std::isfinite(innermost) || before(innermost, x))) innermost = x;
  }
  return innermost;
}

// torch.nan_to_num
float finite(float x) {
  if (std::isnan(x)) return 0;
  return std::clamp(x, std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max());
}

void addBatch(TailStatistics& tail, float extreme, float referenceValue) {
  if (extreme == 0 && referenceValue == 0) return;
  const float ratio = finite(extreme / referenceValue);
  const auto before = static_cast<float>(tail.observerBatches++);
  tail.observerAverage =
      finite((tail.observerAverage * before + ratio) / static_cast<float>(tail.observerBatches));
  if (extreme == 0 || referenceValue == 0) {
    ++tail.sparseBatches;
    return;
  }
  const double magnitude = std::abs(static_cast<double>(extreme) / referenceValue);
  tail.ratioSum += std::max(magnitude, 1 / magnitude);
  ++tail.batches;
}

}  // namespace

bool ModelReportStatistics::accepts(const ChannelSummary& summary) {
  m_channelsDiffer = m_channelsDiffer || summary.differ;
  if (summary.ranges.empty() || m_channelsDiffer) return false;
  if (m_report.channels.empty()) m_report.channels.resize(summary.ranges.size());
  m_channelsDiffer = m_report.channels.size() != summary.ranges.size();
  return !m_channelsDiffer;
}

void ModelReportStatistics::fold(const ChannelSummary& summary) {
  if (!accepts(summary)) return;
  for (std::size_t c = 0; c < summary.ranges.size(); ++c) {
    m_report.channels[c].moments.add(summary.moments[c]);
  }
  if (m_batch.ranges.empty()) {
    m_batch = summary;
    return;
  }
  const std::size_t wanted = std::max(m_batch.tails.wanted, summary.tails.wanted);
  m_batch.merge(summary);
  m_batch.tails.wanted = wanted;
  shorten(m_batch.tails, m_batch.ranges.size());
}

void ModelReportStatistics::closeChannel(std::size_t channel) {
  const MinMax& range = m_batch.ranges[channel];
  if (range.empty()) return;
  ChannelReport& report = m_report.channels[channel];
  report.range.include(Range{range.min, range.max, false});
  if (range.min == range.max) ++report.constantBatches;
  ChannelTails& tails = m_batch.tails;
  const std::size_t length = tailLength(m_batch.count(channel), m_referenceQuantile);
  const std::size_t first = channel * tails.kept;
  const auto upper = std::span(tails.upper).subspan(first, tails.kept);
  const auto lower = std::span(tails.lower).subspan(first, tails.kept);
  addBatch(report.upper, range.max, reference(upper, length, std::greater()));
  addBatch(report.lower, range.min, reference(lower, length, std::less()));
}

void ModelReportStatistics::closeBatch() {
  if (!m_channelsDiffer) {
    for (std::size_t c = 0; c < m_batch.ranges.size(); ++c) closeChannel(c);
  }
  m_batch = {};
}

ModelReport ModelReportStatistics::finish(int axis) {
  m_report.axis = axis;
  m_report.referenceQuantile = m_referenceQuantile;
  if (m_channelsDiffer || m_report.channels.empty()) {
    m_report.channels.clear();
    m_report.axis = -1;
  }
  return std::exchange(m_report, {});
}

}  // namespace quantscope
