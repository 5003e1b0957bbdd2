#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/channel_layout.h"

namespace quantscope {

/// The elements of one channel of an array, in `scratch` where they are not neighbours.
std::span<const float> channelElements(std::span<const float> values, const ChannelLayout& layout,
                                       std::size_t channel, std::vector<float>& scratch);

/// How many groups of `groupSize` ≥ 1 consecutive channels (the last may be shorter) at one index
/// of outer and inner there are.
std::size_t groupCount(const ChannelLayout& layout, std::size_t groupSize);

/// The elements of such a group, likewise; groups are row-major: [outer, group, inner].
std::span<const float> groupElements(std::span<const float> values, const ChannelLayout& layout,
                                     std::size_t groupSize, std::size_t group,
                                     std::vector<float>& scratch);

}  // namespace quantscope
