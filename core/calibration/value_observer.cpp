#include "calibration/value_observer.h"

#include <utility>

#include "base/error.h"
#include "kernels/channel_layout.h"

namespace quantscope {
namespace {

Range toRange(const MinMax& range) {
  return range.empty() ? Range{} : Range{range.min, range.max, false};
}

std::vector<Range> toRanges(std::span<const MinMax> ranges) {
  std::vector<Range> result;
  for (const MinMax& range : ranges) result.push_back(toRange(range));
  return result;
}

ChannelLayout layoutOf(const Shape& shape, std::size_t axis) {
  const auto extent = [&shape](std::size_t first, std::size_t last) {
    return static_cast<std::size_t>(shape.elementCount(first, last));
  };
  return {extent(0, axis), extent(axis, axis + 1), extent(axis + 1, shape.rank())};
}

SampleSummary summarize(std::span<const float> elements, const Shape& shape, int channelAxis) {
  SampleSummary summary;
  summary.moments = moments(elements);
  if (channelAxis < 0 || static_cast<std::size_t>(channelAxis) >= shape.rank()) {
    summary.range = minMax(elements);
    return summary;
  }
  const ChannelLayout layout = layoutOf(shape, static_cast<std::size_t>(channelAxis));
  summary.channels.resize(layout.channels);
  minMaxPerChannel(elements, layout, summary.channels);
  for (const MinMax& channel : summary.channels) summary.range.merge(channel);
  return summary;
}

}  // namespace

ValueObserver::ValueObserver(int channelAxis, const ObservationSettings& settings)
    : m_channelAxis(channelAxis), m_batches(settings.batch, settings.averagingConstants) {}

SampleSummary ValueObserver::observe(const Tensor& sample) {
  if (!isFloat(sample.type())) {
    throw Error(ErrorCode::UnsupportedType,
                "a value of type " + std::string(name(sample.type())) + " cannot be observed");
  }
  if (sample.layout() != Layout::Plain) {
    throw Error(ErrorCode::InvalidParameters, "only row-major values can be observed");
  }
  if (sample.type() == ElementType::Float32) return observe(sample.values<float>(), sample.shape());
  return observe(toFloat32(sample).values<float>(), sample.shape());
}

// The counting, the long part, runs without the mutex. Its histogram may be finer than the shared
// one by the time it is merged, never coarser: the shared width only grows.
SampleSummary ValueObserver::observe(std::span<const float> elements, const Shape& shape) {
  SampleSummary summary = summarize(elements, shape, m_channelAxis);
  const int widthExponent = mergeRange(summary);
  if (summary.range.empty()) return summary;
  LinearHistogram linear;
  linear.widen(widthExponent);
  linear.add(elements, summary.range.min, summary.range.max);
  LogLinearHistogram logLinear;
  logLinear.add(elements);
  const std::lock_guard lock(m_mutex);
  m_linear.add(std::move(linear));
  m_logLinear.add(logLinear);
  return summary;
}

int ValueObserver::mergeRange(const SampleSummary& summary) {
  const std::lock_guard lock(m_mutex);
  ++m_samples;
  m_count += summary.moments.count;
  m_range.merge(summary.range);
  mergeChannels(summary.channels);
  if (!m_range.empty()) m_linear.widen(LinearHistogram::widthExponentFor(m_range.min, m_range.max));
  return m_linear.widthExponent();
}

void ValueObserver::mergeChannels(std::span<const MinMax> channels) {
  if (m_samples == 1) m_channels.resize(channels.size());
  m_channelsDiffer = m_channelsDiffer || m_channels.size() != channels.size();
  if (m_channelsDiffer) return;
  for (std::size_t c = 0; c < channels.size(); ++c) m_channels[c].merge(channels[c]);
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
  result.range = toRange(m_range);
  result.linear = std::move(m_linear);
  result.logLinear = std::move(m_logLinear);
  m_batches.finish(result);
  if (m_channelsDiffer || m_channels.empty()) {
    for (MovingAverageRange& moving : result.movingAverages) moving.channels.clear();
  } else {
    result.channelAxis = m_channelAxis;
    result.channels = toRanges(m_channels);
  }
  return result;
}

}  // namespace quantscope
