#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace quantscope {

/// The number of pairs of which one is NaN or infinite and the other is something else.
std::size_t brokenPairs(std::span<const float> reference, std::span<const float> value);

/// "3 of its 400 numbers are NaN or infinite, or should be".
std::string brokenText(std::size_t broken, std::size_t all);

}  // namespace quantscope
