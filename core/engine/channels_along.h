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

}  // namespace quantscope
