#pragma once

#include <cstddef>
#include <vector>

namespace quantscope {

/// At most `count` of `feeds` feeds, ascending and spread evenly.
std::vector<std::size_t> spreadFeeds(std::size_t feeds, std::size_t count);

}  // namespace quantscope
