#include "calibration/observers/channel_runs.h"

#include <algorithm>

namespace quantscope {
namespace {

// Channels that are gathered at a time: as many floats as share a cache line.
constexpr std::size_t kGathered = 16;

}  // namespace

std::span<const float> ChannelRuns::operator[](std::size_t channel) {
  const std::size_t length = m_layout.outer * m_layout.inner;
  if (m_layout.outer == 1) return m_in.subspan(channel * length, length);
  if (channel >= m_gatheredEnd) gather(channel);
  return std::span(m_scratch).subspan((channel - m_gatheredFirst) * length, length);
}

void ChannelRuns::gather(std::size_t first) {
  const std::size_t count = std::min(kGathered, m_layout.channels - first);
  const std::size_t inner = m_layout.inner;
  m_scratch.resize(count * m_layout.outer * inner);
  for (std::size_t o = 0; o < m_layout.outer; ++o) {
    const float* row = m_in.data() + (o * m_layout.channels + first) * inner;
    for (std::size_t c = 0; c < count; ++c) {
      std::copy_n(row + c * inner, inner, m_scratch.data() + (c * m_layout.outer + o) * inner);
    }
  }
  m_gatheredFirst = first;
  m_gatheredEnd = first + count;
}

}  // namespace quantscope
