#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "layout/graph_layout.h"

namespace quantscope {

/// The group of an item that belongs to none and is a part of its own.
inline constexpr std::size_t kAlone = std::numeric_limits<std::size_t>::max();

/// Cuts groups of items into parts that can be drawn as boxes without making a cycle: gives the
/// part of each item, numbered so that no edge leads to a lower part. A group that can stay whole
/// in the chosen order is one part; the fewest possible parts are not promised.
/// `groups` is the group of each item, or kAlone. `edges` must be free of cycles.
std::vector<std::size_t> acyclicParts(std::span<const std::size_t> groups,
                                      std::span<const LayoutEdge> edges);

}  // namespace quantscope
