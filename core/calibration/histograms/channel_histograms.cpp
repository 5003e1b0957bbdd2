#include "calibration/histograms/channel_histograms.h"

#include <utility>

#include "calibration/observers/channel_runs.h"

namespace quantscope {

bool ChannelHistograms::widen(std::span<const MinMax> ranges) {
  if (m_channels.empty()) {
    m_ranges.resize(ranges.size());
    m_channels.resize(ranges.size());
  }
  if (m_channels.size() != ranges.size()) return false;
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    MinMax& range = m_ranges[c];
    range.merge(ranges[c]);
    if (range.empty()) continue;
    m_channels[c].linear.widen(LinearHistogram::widthExponentFor(range.min, range.max));
  }
  return true;
}

ChannelHistograms ChannelHistograms::emptied() const {
  ChannelHistograms result;
  result.m_ranges = m_ranges;
  result.m_channels.resize(m_channels.size());
  for (std::size_t c = 0; c < m_channels.size(); ++c) {
    result.m_channels[c].linear.widen(m_channels[c].linear.widthExponent());
  }
  return result;
}

void ChannelHistograms::count(std::span<const float> in, ChannelLayout layout,
                              std::span<const MinMax> ranges) {
  ChannelRuns runs(in, layout);
  for (std::size_t c = 0; c < layout.channels; ++c) {
    if (ranges[c].empty()) continue;
    const std::span<const float> run = runs[c];
    m_channels[c].linear.add(run, ranges[c].min, ranges[c].max);
    m_channels[c].logLinear.add(run);
  }
}

void ChannelHistograms::add(ChannelHistograms finer) {
  for (std::size_t c = 0; c < m_channels.size(); ++c) {
    m_channels[c].linear.add(std::move(finer.m_channels[c].linear));
    m_channels[c].logLinear.add(finer.m_channels[c].logLinear);
  }
}

}  // namespace quantscope
