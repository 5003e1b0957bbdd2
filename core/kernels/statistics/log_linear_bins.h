#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace quantscope {

/// Bins that are 1/32 of their power of two wide, at every magnitude: one per sign, exponent and
/// upper 5 bits of the mantissa, which are the upper 14 bits of a float.
constexpr std::size_t kLogLinearBins = std::size_t{1} << 14;
/// Neighbouring bins of one sign and exponent.
constexpr std::size_t kLogLinearBlock = 32;

/// The bin of a finite x. 0, −0 and denormals share bin 0.
constexpr std::size_t logLinearBin(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x7F800000U) == 0 ? 0 : bits >> 18;
}

/// The numbers of a bin, away from 0: |low| ≤ |x| < |high|, of either sign. Bin 0 is [0, 0].
/// The outermost bins end at the infinities.
struct LogLinearBounds {
  float low = 0;
  float high = 0;
};
LogLinearBounds logLinearBounds(std::size_t bin);

/// counts[logLinearBin(x)] += 1 for each finite x. NaN and ±Inf are skipped. A count wraps at 2^32.
void addToLogLinearBins(std::span<const float> in, std::span<std::uint32_t, kLogLinearBins> counts);

}  // namespace quantscope
