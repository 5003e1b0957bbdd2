#pragma once

#include "kernels/channel_layout.h"
#include "tensor/tensor.h"

namespace quantscope {

/// A Plain tensor of this shape, for the kernels, with the channels on `axis`, which it has.
inline ChannelLayout channelsAlong(const Shape& shape, std::size_t axis) {
  return {static_cast<std::size_t>(shape.elementCount(0, axis)),
          static_cast<std::size_t>(shape[axis]),
          static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank()))};
}

/// The same for a tensor in that layout. Channels-last: `axis` is 1; each channel has its elements
/// in the same order as in a Plain tensor.
inline ChannelLayout channelsAlong(const Shape& shape, std::size_t axis, Layout layout) {
  const ChannelLayout plain = channelsAlong(shape, axis);
  if (layout == Layout::Plain) return plain;
  return {plain.outer * plain.inner, plain.channels, 1};
}

}  // namespace quantscope
