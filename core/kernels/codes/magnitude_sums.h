#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace quantscope {

/// How many finite elements there are, and the sum of their magnitudes.
struct MagnitudeSums {
  std::size_t count = 0;
  double sum = 0;  ///< Σ|x|

  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  friend bool operator==(const MagnitudeSums&, const MagnitudeSums&) = default;
};

/// Over all finite elements, or over those with |x| > `above`, which is not below 0.
///
/// Sums in double, in an order that is part of the definition, so that the bits are the same on
/// every CPU: element i goes to lane i mod 16, and lanes are folded by halves (lane j takes lane
/// j + 8 in, then j + 4, j + 2 and j + 1). A denormal adds 0, in every mode of the floating-point
/// unit.
MagnitudeSums magnitudeSums(std::span<const float> in, std::optional<float> above = {});

}  // namespace quantscope
