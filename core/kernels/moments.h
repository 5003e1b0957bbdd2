#pragma once

#include <cstddef>
#include <span>

namespace quantscope {

/// What mean and standard deviation are made of.
struct Moments {
  std::size_t count = 0;      ///< finite elements
  std::size_t nonFinite = 0;  ///< NaN and ±Inf: skipped
  double sum = 0;             ///< Σx
  double squares = 0;         ///< Σx²

  void add(const Moments& other);
  friend bool operator==(const Moments&, const Moments&) = default;
};

/// Sums in double, in an order that is part of the definition, so that the bits are the same on
/// every CPU: element i goes to lane i mod 16, and lanes are folded by halves (lane j takes lane
/// j + 8 in, then j + 4, j + 2 and j + 1). A denormal counts as 0, in every mode of the
/// floating-point unit.
Moments moments(std::span<const float> in);

}  // namespace quantscope
