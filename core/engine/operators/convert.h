#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensor/half.h"
#include "tensor/tensor.h"

namespace quantscope {

/// `value` rounded towards zero. Values out of range are converted as on x86, which models were
/// tested with: NaN and everything out of the range of int32 (of int64 for wider targets) is the
/// smallest integer, of which narrower targets keep the low bits.
template <class To>
To truncated(double value) {
  using Wide = std::conditional_t<(sizeof(To) > 4 || std::is_same_v<To, std::uint32_t>),
                                  std::int64_t, std::int32_t>;
  constexpr double kEnd = -static_cast<double>(std::numeric_limits<Wide>::min());
  // The upper half of uint64 is beyond int64: the highest bit is put back afterwards.
  if constexpr (std::is_same_v<To, std::uint64_t>) {
    if (value >= kEnd && value < 2 * kEnd) {
      return static_cast<To>(static_cast<Wide>(value - kEnd)) | (To{1} << 63);
    }
  }
  const bool fits = value > -kEnd - 1 && value < kEnd;
  const Wide wide = fits ? static_cast<Wide>(value) : std::numeric_limits<Wide>::min();
  return static_cast<To>(wide);
}

/// One element of type From as one of type To: floats to integers as truncated() says, integers to
/// integers by their low bits, anything but zero to true, to half types by way of float.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>) {
    return converted<To>(toFloat(value));
  } else if constexpr (std::is_same_v<To, Float16>) {
    return toFloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return toBFloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return truncated<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

/// All elements converted, in the same layout; the tensor itself where it has the type already.
Tensor convertedTo(const Tensor& tensor, ElementType type);

}  // namespace quantscope
