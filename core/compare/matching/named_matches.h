#pragma once

#include <string>
#include <utility>
#include <vector>

namespace quantscope {

/// Corrections by hand, by the names of values: an empty name = the other value has no match.
using NamedMatches = std::vector<std::pair<std::string, std::string>>;

}  // namespace quantscope
