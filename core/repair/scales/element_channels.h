#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "repair/scales/channel_classes.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The channel in ChannelClasses of every element of a value. Along most axes it is the same one.
class ElementChannels {
 public:
  /// `channels` in the order of `kept`, which has 1 for axes along which the channel is the same.
  ElementChannels(Shape kept, std::vector<std::uint32_t> channels);
  /// channels[i] for all elements with index i on an axis, of values with `rank` axes.
  static ElementChannels along(std::size_t axis, std::size_t rank,
                               std::vector<std::uint32_t> channels);

  const Shape& kept() const { return m_kept; }
  std::span<const std::uint32_t> channels() const { return m_channels; }

  /// The channels of the elements of a tensor that is broadcast against such values. False where an
  /// element meets several channels.
  bool covers(const Shape& tensor) const;
  std::vector<std::uint32_t> channelsOf(const Shape& tensor) const;

  /// The same map with channels that are equal along these axes, after uniting them.
  ElementChannels mergedAlong(const std::vector<bool>& axes, ChannelClasses& classes) const;
  /// Without axes along which all channels are united already.
  ElementChannels compressed(const ChannelClasses& classes) const;
  /// For values with that many axes, the last ones in common. Axes that go have one channel.
  ElementChannels withRank(std::size_t rank) const;
  /// With an entry of its own for every index of one axis.
  ElementChannels unfoldedAlong(std::size_t axis, std::int64_t extent) const;
  /// For values of other extents with the same elements in the same order.
  ElementChannels reshaped(const Shape& from, const Shape& to) const;

  /// float32: the place in channels() of every element, counted from 1.
  Tensor places(const Shape& extents) const;
  /// The map of what an operator made of places(); it writes 0 where an element is none of its
  /// input.
  ElementChannels atPlaces(const Tensor& places) const;

 private:
  Shape m_kept;
  std::vector<std::uint32_t> m_channels;
};

/// What is broadcast against each other has the same channels.
void unite(const ElementChannels& a, const ElementChannels& b, ChannelClasses& classes);

}  // namespace quantscope
