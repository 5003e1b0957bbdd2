#include "calibration/observers/value_observer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "engine/channels_along.h"
#include "kernels/statistics/overflow_count.h"

namespace quantscope {
namespace {

Range toRange(const MinMax& range) {
  return range.empty() ? Range{} : Range{range.min, range.max, false};
}

}  // namespace

ValueObserver::ValueObserver(int channelAxis, const ObservationSettings& settings)
    : m_channelAxis(channelAxis),
      m_settings(settings),
      m_batches(settings.batch, settings.averagingConstants, settings.referenceQuantile,
                settings.reportAxis.value_or(-1)) {}

bool ValueObserver::takesChannelsLast() const {
  return m_channelAxis == 1 && m_settings.reportAxis.value_or(1) == 1;
}

SampleSummary ValueObserver::observe(const Tensor& sample) {
  if (!isFloat(sample.type())) {
    throw Error(ErrorCode::UnsupportedType,
                "a value of type " + std::string(name(sample.type())) + " cannot be observed");
  }
  const Tensor elements = toFloat32(sample);
  return observe(elements.values<float>(), sample.shape(), sample.layout());
}

// The counting, the long part, runs without the mutex. Its histogram may be finer than the shared
// one by the time it is merged, never coarser: the shared width only grows.
SampleSummary ValueObserver::observe(std::span<const float> elements, const Shape& shape,
                                     Layout layout, const SampleSummary* rectified) {
  if (layout != Layout::Plain && !takesChannelsLast()) {
    throw Error(ErrorCode::InvalidParameters,
                "only row-major values can be observed where channels to observe lie on "
                "another axis than 1");
  }
  SampleSummary summary = summarize(elements, shape, layout, rectified);
  const int widthExponent = mergeRange(summary);
  if (summary.range.empty()) return summary;
  countOverflows(elements, summary.range);
  if (m_settings.channelHistograms && !summary.channels.ranges.empty()) {
    const auto axis = static_cast<std::size_t>(m_channelAxis);
    countChannels(elements, channelsAlong(shape, axis, layout), summary.channels.ranges);
  }
  LinearHistogram linear;
  linear.widen(widthExponent);
  linear.add(elements, summary.range.min, summary.range.max);
  LogLinearHistogram logLinear;
  if (rectified == nullptr) logLinear.add(elements);
  const std::lock_guard lock(m_mutex);
  m_linear.add(std::move(linear));
  m_logLinear.add(logLinear);
  return summary;
}

SampleSummary ValueObserver::summarize(std::span<const float> elements, const Shape& shape,
                                       Layout layout, const SampleSummary* rectified) const {
  SampleSummary summary;
  // Infinities that become 0 join the tails.
  const bool finite = rectified != nullptr && rectified->range.nonFinite == 0;
  const auto along = [&](int axis, ChannelSummary SampleSummary::*of) {
    return summarizeChannels(elements, channelsAlong(shape, static_cast<std::size_t>(axis), layout),
                             m_settings.referenceQuantile, m_settings.batch,
                             finite ? &(rectified->*of).tails : nullptr);
  };
  const auto rank = static_cast<int>(shape.rank());
  if (m_channelAxis >= 0 && m_channelAxis < rank) {
    summary.channels = along(m_channelAxis, &SampleSummary::channels);
  }
  summary.channels.differ = m_channelAxis >= 0 && summary.channels.ranges.empty();
  const std::optional<int>& reportAxis = m_settings.reportAxis;
  if (reportAxis && m_channelAxis != *reportAxis && rank > *reportAxis) {
    summary.reportChannels = along(*reportAxis, &SampleSummary::reportChannels);
    summary.reportChannels.differ = summary.reportChannels.ranges.empty();
  }
  if (summary.channels.ranges.empty()) {
    summary.range = minMax(elements);
    summary.moments = centralMoments(elements, summary.range);
  }
  for (std::size_t c = 0; c < summary.channels.ranges.size(); ++c) {
    summary.range.merge(summary.channels.ranges[c]);
    summary.moments.add(summary.channels.moments[c]);
  }
  return summary;
}

int ValueObserver::mergeRange(const SampleSummary& summary) {
  const std::lock_guard lock(m_mutex);
  ++m_samples;
  m_count += summary.moments.count;
  m_range.merge(summary.range);
  if (!m_range.empty()) m_linear.widen(LinearHistogram::widthExponentFor(m_range.min, m_range.max));
  return m_linear.widthExponent();
}

void ValueObserver::countChannels(std::span<const float> elements, const ChannelLayout& layout,
                                  std::span<const MinMax> ranges) {
  ChannelHistograms own;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_channels.widen(ranges)) return;  // and finish() leaves the channels out
    own = m_channels.emptied();
  }
  own.count(elements, layout, ranges);
  const std::lock_guard lock(m_mutex);
  m_channels.add(std::move(own));
}

// Hardly ever has anything to count.
void ValueObserver::countOverflows(std::span<const float> elements, const MinMax& range) {
  const float absmax = std::max(std::abs(range.min), std::abs(range.max));
  if (absmax < kFloat16Overflow) return;
  const std::size_t float16 = countFrom(elements, kFloat16Overflow);
  const std::size_t bfloat16 =
      absmax < kBFloat16Overflow ? 0 : countFrom(elements, kBFloat16Overflow);
  const std::lock_guard lock(m_mutex);
  m_float16Overflows += float16;
  m_bfloat16Overflows += bfloat16;
}

void ValueObserver::fold(const SampleSummary& summary) {
  const std::lock_guard lock(m_mutex);
  m_batches.fold(summary);
}

Observation ValueObserver::finish() {
  const std::lock_guard lock(m_mutex);
  Observation result;
  result.samples = m_samples;
  result.count = m_count;
  result.nonFinite = m_range.nonFinite;
  result.float16Overflows = m_float16Overflows;
  result.bfloat16Overflows = m_bfloat16Overflows;
  result.range = toRange(m_range);
  result.linear = std::move(m_linear);
  result.logLinear = std::move(m_logLinear);
  m_batches.finish(m_channelAxis, result);
  if (result.channelAxis >= 0) result.channelHistograms = m_channels.take();
  return result;
}

}  // namespace quantscope
