#pragma once

#include <cstddef>

namespace quantscope {

/// A dense array seen as [outer, channels, inner]: `outer` rows of `channels` runs of `inner`
/// neighbours. [N, C, H, W] by channel is {N, C, H·W}; channels last is {N·H·W, C, 1}.
struct ChannelLayout {
  std::size_t outer = 1;
  std::size_t channels = 1;
  std::size_t inner = 1;

  /// outer · channels · inner. Throws InvalidParameters where that overflows.
  std::size_t elementCount() const;
};

/// ⌈channels / groupSize⌉.
constexpr std::size_t groupsAlong(const ChannelLayout& layout, std::size_t groupSize) {
  return layout.channels / groupSize + (layout.channels % groupSize == 0 ? 0 : 1);
}

/// Runs (`inner`) below this length waste most of their vectors: kernels take rows as a whole, with
/// parameters or results of their own for each position.
constexpr std::size_t kShortRun = 32;

/// Throws InvalidParameters unless an array of `elements` with `channels` entries of parameters
/// or results has this layout.
void requireLayout(const ChannelLayout& layout, std::size_t elements, std::size_t channels);

/// Throws InvalidParameters unless both arrays have the same length.
void requireSameLength(std::size_t a, std::size_t b);

}  // namespace quantscope
