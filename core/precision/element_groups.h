#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/channel_layout.h"

namespace quantscope {

/// Calls function(elements) for the elements of each channel of an array, in the order of the
/// channels. Those that are not neighbours are gathered first.
template <class Function>
void forEachChannel(std::span<const float> values, const ChannelLayout& layout,
                    const Function& function) {
  std::vector<float> gathered;
  for (std::size_t c = 0; c < layout.channels; ++c) {
    if (layout.outer == 1) {
      function(values.subspan(c * layout.inner, layout.inner));
      continue;
    }
    gathered.clear();
    for (std::size_t o = 0; o < layout.outer; ++o) {
      const auto run = values.subspan((o * layout.channels + c) * layout.inner, layout.inner);
      gathered.insert(gathered.end(), run.begin(), run.end());
    }
    function(std::span<const float>(gathered));
  }
}

/// The same for each group of `groupSize` ≥ 1 consecutive channels (the last may be shorter) at one
/// index of outer and inner, row-major: [outer, group, inner].
template <class Function>
void forEachGroup(std::span<const float> values, const ChannelLayout& layout, std::size_t groupSize,
                  const Function& function) {
  std::vector<float> gathered;
  for (std::size_t o = 0; o < layout.outer; ++o) {
    for (std::size_t first = 0; first < layout.channels; first += groupSize) {
      const std::size_t count = std::min(groupSize, layout.channels - first);
      const std::size_t start = (o * layout.channels + first) * layout.inner;
      for (std::size_t i = 0; i < layout.inner; ++i) {
        if (layout.inner == 1) {
          function(values.subspan(start, count));
          continue;
        }
        gathered.clear();
        for (std::size_t c = 0; c < count; ++c) {
          gathered.push_back(values[start + c * layout.inner + i]);
        }
        function(std::span<const float>(gathered));
      }
    }
  }
}

}  // namespace quantscope
