#include "repair/scales/element_channels.h"

#include <algorithm>
#include <utility>

namespace quantscope {
namespace {

// The place of every element of `over` in `kept`, the last axes in common, broadcast where `kept`
// is 1 or has no such axis.
std::vector<std::size_t> placesIn(const Shape& kept, const Shape& over) {
  std::vector<std::size_t> places(static_cast<std::size_t>(over.elementCount()), 0);
  const Shape strides = rowMajorStrides(kept);
  std::size_t inner = places.size();
  for (std::size_t axis = 0; axis < over.rank(); ++axis) {
    const auto extent = static_cast<std::size_t>(over[axis]);
    if (extent == 0) break;
    inner /= extent;
    const std::size_t fromEnd = over.rank() - axis;
    if (fromEnd > kept.rank() || kept[kept.rank() - fromEnd] == 1) continue;
    const auto stride = static_cast<std::size_t>(strides[kept.rank() - fromEnd]);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] += i / inner % extent * stride;
  }
  return places;
}

std::vector<std::uint32_t> pick(std::span<const std::uint32_t> channels,
                                const std::vector<std::size_t>& places) {
  std::vector<std::uint32_t> picked(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) picked[i] = channels[places[i]];
  return picked;
}

// Elements without a place, 0, get that of the nearest element before or behind on an axis.
void fillAlong(std::span<float> places, const Shape& shape, std::size_t axis) {
  const auto extent = static_cast<std::size_t>(shape[axis]);
  const auto inner = static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank()));
  for (std::size_t i = inner; i < places.size(); ++i) {
    if (places[i] == 0 && i / inner % extent > 0) places[i] = places[i - inner];
  }
  for (std::size_t i = places.size(); i-- > inner;) {
    const std::size_t before = i - inner;
    if (places[before] == 0 && i / inner % extent > 0) places[before] = places[i];
  }
}

}  // namespace

ElementChannels::ElementChannels(Shape kept, std::vector<std::uint32_t> channels)
    : m_kept(kept), m_channels(std::move(channels)) {}

ElementChannels ElementChannels::along(std::size_t axis, std::size_t rank,
                                       std::vector<std::uint32_t> channels) {
  Shape kept = Shape::filled(rank, 1);
  kept[axis] = static_cast<std::int64_t>(channels.size());
  return {kept, std::move(channels)};
}

bool ElementChannels::covers(const Shape& tensor) const {
  for (std::size_t axis = 0; axis < m_kept.rank(); ++axis) {
    if (m_kept[axis] == 1) continue;
    const std::size_t fromEnd = m_kept.rank() - axis;
    if (fromEnd > tensor.rank() || tensor[tensor.rank() - fromEnd] != m_kept[axis]) return false;
  }
  return true;
}

std::vector<std::uint32_t> ElementChannels::channelsOf(const Shape& tensor) const {
  return pick(m_channels, placesIn(m_kept, tensor));
}

ElementChannels ElementChannels::mergedAlong(const std::vector<bool>& axes,
                                             ChannelClasses& classes) const {
  Shape merged = m_kept;
  for (std::size_t axis = 0; axis < merged.rank(); ++axis) {
    if (axes[axis]) merged[axis] = 1;
  }
  if (merged == m_kept) return *this;
  std::vector<std::uint32_t> channels(static_cast<std::size_t>(merged.elementCount()));
  std::vector<bool> met(channels.size(), false);
  const std::vector<std::size_t> places = placesIn(merged, m_kept);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!met[places[i]]) {
      met[places[i]] = true;
      channels[places[i]] = m_channels[i];
    }
    classes.unite(channels[places[i]], m_channels[i]);
  }
  return {merged, std::move(channels)};
}

ElementChannels ElementChannels::compressed(const ChannelClasses& classes) const {
  ElementChannels map = *this;
  for (std::size_t axis = 0; axis < m_kept.rank(); ++axis) {
    const auto extent = static_cast<std::size_t>(map.m_kept[axis]);
    if (extent <= 1) continue;
    Shape less = map.m_kept;
    less[axis] = 1;
    const auto inner = static_cast<std::size_t>(less.elementCount(axis + 1, less.rank()));
    bool same = true;
    for (std::size_t i = 0; same && i < map.m_channels.size(); ++i) {
      const std::size_t step = i / inner % extent;
      same = step == 0 || classes.classOf(map.m_channels[i]) ==
                              classes.classOf(map.m_channels[i - step * inner]);
    }
    if (!same) continue;
    std::vector<std::uint32_t> channels;
    for (std::size_t i = 0; i < map.m_channels.size(); ++i) {
      if (i / inner % extent == 0) channels.push_back(map.m_channels[i]);
    }
    map = {less, std::move(channels)};
  }
  return map;
}

ElementChannels ElementChannels::withRank(std::size_t rank) const {
  Shape kept = Shape::filled(rank, 1);
  for (std::size_t i = 1; i <= std::min(rank, m_kept.rank()); ++i) {
    kept[rank - i] = m_kept[m_kept.rank() - i];
  }
  return {kept, m_channels};
}

ElementChannels ElementChannels::unfoldedAlong(std::size_t axis, std::int64_t extent) const {
  Shape kept = m_kept;
  kept[axis] = extent;
  return {kept, channelsOf(kept)};
}

ElementChannels ElementChannels::reshaped(const Shape& from, const Shape& to) const {
  return {to, channelsOf(from)};
}

Tensor ElementChannels::places(const Shape& extents) const {
  Tensor tensor(ElementType::Float32, extents);
  const std::vector<std::size_t> places = placesIn(m_kept, extents);
  const std::span<float> elements = tensor.mutableValues<float>();
  for (std::size_t i = 0; i < places.size(); ++i) elements[i] = static_cast<float>(places[i] + 1);
  return tensor;
}

ElementChannels ElementChannels::atPlaces(const Tensor& places) const {
  std::vector<float> filled(places.values<float>().begin(), places.values<float>().end());
  for (std::size_t axis = places.shape().rank(); axis-- > 0;) {
    fillAlong(filled, places.shape(), axis);
  }
  std::vector<std::uint32_t> channels(filled.size());
  for (std::size_t i = 0; i < filled.size(); ++i) {
    channels[i] = m_channels[filled[i] > 0 ? static_cast<std::size_t>(filled[i]) - 1 : 0];
  }
  return {places.shape(), std::move(channels)};
}

void unite(const ElementChannels& a, const ElementChannels& b, ChannelClasses& classes) {
  const Shape both = broadcast(a.kept(), b.kept());
  classes.unite(a.channelsOf(both), b.channelsOf(both));
}

}  // namespace quantscope
