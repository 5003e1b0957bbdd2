#pragma once

#include <limits>

namespace quantscope::test {

/// Infinite in float, and in double where it is converted.
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace quantscope::test
