#include "calibration/observers/channel_runs.h"

#include <algorithm>
#include <cstdint>

#include "tensor/transpose_plane.h"

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
  if (inner == 1) {
    transposePlane(reinterpret_cast<const std::byte*>(m_in.data() + first),
                   reinterpret_cast<std::byte*>(m_scratch.data()), sizeof(float),
                   {.rows = static_cast<std::int64_t>(count),
                    .columns = static_cast<std::int64_t>(m_layout.outer),
                    .sourceStride = static_cast<std::int64_t>(m_layout.channels),
                    .targetStride = static_cast<std::int64_t>(m_layout.outer)});
  }
  for (std::size_t o = 0; o < m_layout.outer && inner > 1; ++o) {
    const float* row = m_in.data() + (o * m_layout.channels + first) * inner;
    for (std::size_t c = 0; c < count; ++c) {
      std::copy_n(row + c * inner, inner, m_scratch.data() + (c * m_layout.outer + o) * inner);
    }
  }
  m_gatheredFirst = first;
  m_gatheredEnd = first + count;
}

}  // namespace quantscope
