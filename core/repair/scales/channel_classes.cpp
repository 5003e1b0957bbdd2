#include "repair/scales/channel_classes.h"

#include <algorithm>
#include <numeric>

namespace quantscope {

std::vector<std::uint32_t> ChannelClasses::add(std::size_t count) {
  std::vector<std::uint32_t> channels(count);
  std::iota(channels.begin(), channels.end(), static_cast<std::uint32_t>(m_parents.size()));
  m_parents.insert(m_parents.end(), channels.begin(), channels.end());
  return channels;
}

void ChannelClasses::unite(const std::vector<std::uint32_t>& a,
                           const std::vector<std::uint32_t>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint32_t first = root(a[i]);
    const std::uint32_t second = root(b[i]);
    m_parents[std::max(first, second)] = std::min(first, second);
  }
}

std::size_t ChannelClasses::number() {
  m_numbers.assign(m_parents.size(), 0);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < m_parents.size(); ++i) {
    if (m_parents[i] == i) m_numbers[i] = count++;
  }
  return count;
}

std::vector<std::uint32_t> ChannelClasses::numbersOf(std::vector<std::uint32_t> channels) const {
  for (std::uint32_t& each : channels) each = m_numbers[root(each)];
  return channels;
}

std::uint32_t ChannelClasses::root(std::uint32_t channel) const {
  while (m_parents[channel] != channel) channel = m_parents[channel];
  return channel;
}

}  // namespace quantscope
