#pragma once

#include <cstddef>
#include <span>

#include "kernels/channel_layout.h"

namespace quantscope {

/// The sums that every error metric is made of, over pairs of a reference x and a value y.
struct ErrorSums {
  std::size_t count = 0;        ///< pairs that were summed
  std::size_t nonFinite = 0;    ///< pairs with a NaN or ±Inf in either place: skipped
  double referenceSquared = 0;  ///< Σx²
  double valueSquared = 0;      ///< Σy²
  double product = 0;           ///< Σx·y
  double error = 0;             ///< Σ(y − x)
  double absoluteError = 0;     ///< Σ|y − x|
  double squaredError = 0;      ///< Σ(y − x)²
  double maxAbsoluteError = 0;  ///< max |y − x|

  void add(const ErrorSums& other);
  friend bool operator==(const ErrorSums&, const ErrorSums&) = default;
};

/// Sums in double, in an order that is part of the definition, so that the bits are the same on
/// every CPU: pair i goes to lane i mod 8, and lanes are folded by halves (lane j takes lane j + 4
/// in, then j + 2, then j + 1). A denormal keeps its value, in every mode of the floating-point
/// unit. Throws InvalidParameters for lengths that differ.
ErrorSums errorSums(std::span<const float> reference, std::span<const float> value);

/// result[c] adds the pairs of channel c: the runs of a channel are summed as above, added up in
/// their order, and the sum is added to result[c]. Throws InvalidParameters where the lengths do
/// not fit the layout.
void errorSumsPerChannel(std::span<const float> reference, std::span<const float> value,
                         ChannelLayout layout, std::span<ErrorSums> result);

}  // namespace quantscope
