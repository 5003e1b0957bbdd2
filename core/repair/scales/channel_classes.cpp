#include "repair/scales/channel_classes.h"

#include <algorithm>
#include <numeric>

namespace quantscope {

std::vector<std::uint32_t> ChannelClasses::add(std::size_t count) {
  std::vector<std::uint32_t> channels(count);
  std::iota(channels.begin(), channels.end(), static_cast<std::uint32_t>(m_parents.size()));
  m_parents.insert(m_parents.end(), channels.begin(), channels.end());
  m_fixed.resize(m_parents.size(), false);
  m_free += count;
  return channels;
}

void ChannelClasses::unite(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t first = classOf(a);
  const std::uint32_t second = classOf(b);
  if (first == second) return;
  if (!m_fixed[first] || !m_fixed[second]) --m_free;
  const std::uint32_t kept = std::min(first, second);
  m_fixed[kept] = m_fixed[first] || m_fixed[second];
  m_parents[std::max(first, second)] = kept;
}

void ChannelClasses::unite(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  for (std::size_t i = 0; i < a.size(); ++i) unite(a[i], b[i]);
}

void ChannelClasses::fix(std::uint32_t channel) {
  const std::uint32_t root = classOf(channel);
  if (m_fixed[root]) return;
  m_fixed[root] = true;
  --m_free;
}

std::uint32_t ChannelClasses::classOf(std::uint32_t channel) const {
  while (m_parents[channel] != channel) {
    m_parents[channel] = m_parents[m_parents[channel]];
    channel = m_parents[channel];
  }
  return channel;
}

}  // namespace quantscope
