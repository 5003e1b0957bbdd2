#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/channel_layout.h"

namespace quantscope {

/// The channels of a dense array as contiguous runs, in scratch memory where the array does not
/// hold them so. To be asked for in ascending order.
class ChannelRuns {
 public:
  ChannelRuns(std::span<const float> in, ChannelLayout layout) : m_in(in), m_layout(layout) {}

  /// outer · inner elements in the order of the array; valid until the next call.
  std::span<const float> operator[](std::size_t channel);

 private:
  void gather(std::size_t first);

  std::span<const float> m_in;
  ChannelLayout m_layout;
  std::vector<float> m_scratch;
  std::size_t m_gatheredFirst = 0;
  std::size_t m_gatheredEnd = 0;
};

}  // namespace quantscope
