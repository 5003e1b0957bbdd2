#include "precision/parameters/element_groups.h"

#include <algorithm>

namespace quantscope {

std::span<const float> channelElements(std::span<const float> values, const ChannelLayout& layout,
                                       std::size_t channel, std::vector<float>& scratch) {
  if (layout.outer == 1) return values.subspan(channel * layout.inner, layout.inner);
  scratch.clear();
  for (std::size_t o = 0; o < layout.outer; ++o) {
    const auto run = values.subspan((o * layout.channels + channel) * layout.inner, layout.inner);
    scratch.insert(scratch.end(), run.begin(), run.end());
  }
  return scratch;
}

std::size_t groupCount(const ChannelLayout& layout, std::size_t groupSize) {
  return layout.outer * groupsAlong(layout, groupSize) * layout.inner;
}

std::span<const float> groupElements(std::span<const float> values, const ChannelLayout& layout,
                                     std::size_t groupSize, std::size_t group,
                                     std::vector<float>& scratch) {
  const std::size_t row = group / layout.inner;
  const std::size_t groups = groupsAlong(layout, groupSize);
  const std::size_t firstChannel = row % groups * groupSize;
  const std::size_t count = std::min(groupSize, layout.channels - firstChannel);
  const std::size_t start = (row / groups * layout.channels + firstChannel) * layout.inner;
  if (layout.inner == 1) return values.subspan(start, count);
  scratch.resize(count);
  for (std::size_t c = 0; c < count; ++c) {
    scratch[c] = values[start + c * layout.inner + group % layout.inner];
  }
  return scratch;
}

}  // namespace quantscope
