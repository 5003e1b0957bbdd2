#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/error.h"
#include "engine/channels_along.h"
#include "quant/quant_params.h"

namespace quantscope {

/// Calls visit(grid, index, first, end) for the runs of neighbouring elements of a Plain tensor
/// that lie on one grid, in their order; `index` is the grid's in `params.grids`. Throws
/// InvalidParameters where the grids do not fit the shape.
template <class Visit>
void forEachGridRun(const Shape& shape, const QuantParams& params, const Visit& visit) {
  const auto count = static_cast<std::size_t>(shape.elementCount());
  if (!params.perChannel()) {
    if (count > 0) visit(params.grids.front(), std::size_t{0}, std::size_t{0}, count);
    return;
  }
  const ChannelLayout layout =
      channelsAlong(shape, normalizeAxis(params.axis, static_cast<std::size_t>(shape.rank())));
  const auto size = static_cast<std::size_t>(std::max(params.groupSize, 1));
  const std::size_t blocks = (layout.channels + size - 1) / size;
  const bool grouped = params.groupSize > 0;
  const std::size_t grids = grouped ? layout.outer * blocks * layout.inner : layout.channels;
  if (grids != params.grids.size()) {
    throw Error(ErrorCode::InvalidParameters, "a tensor of shape " + toString(shape) + " needs " +
                                                  std::to_string(grids) + " scales but there are " +
                                                  std::to_string(params.grids.size()));
  }
  for (std::size_t row = 0; row < layout.outer * layout.channels; ++row) {
    const std::size_t channel = row % layout.channels;
    const std::size_t first = row * layout.inner;
    if (!grouped) {
      visit(params.grids[channel], channel, first, first + layout.inner);
      continue;
    }
    const std::size_t block = (row / layout.channels * blocks + channel / size) * layout.inner;
    for (std::size_t i = 0; i < layout.inner; ++i) {
      visit(params.grids[block + i], block + i, first + i, first + i + 1);
    }
  }
}

}  // namespace quantscope
