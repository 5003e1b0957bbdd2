#include "bench/scalar_fake_quantize.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

int smallestExponent(QuantType type) {
  if (type == QuantType::BFloat16) return -126;
  return type == QuantType::Float8E4M3 ? -6 : -14;
}

double nearestNumber(double magnitude, QuantType type) {
  const int exponent = magnitude == 0 ? smallestExponent(type)
                                      : std::max(std::ilogb(magnitude), smallestExponent(type));
  const double step = std::ldexp(1.0, exponent - mantissaBits(type));
  return std::min(std::nearbyint(magnitude / step) * step, double{largestNumber(type)});
}

}  // namespace

// Quotients and products of two floats in double, rounded to float, are the correctly rounded ones.
float scalarFakeQuantize(float x, const Codes& codes, const Grid& grid) {
  if (codes.type == QuantType::Binary) return x < 0 ? -grid.scale : grid.scale;
  if (codes.type == QuantType::Ternary) {
    return std::abs(x) > grid.threshold ? std::copysign(grid.scale, x) : 0.0F;
  }
  const double scale = hasScale(codes.type) ? grid.scale : 1;
  const double quotient = static_cast<float>(x / scale);
  if (isFloatFormat(codes.type)) {
    const double real = nearestNumber(std::abs(quotient), codes.type) * scale;
    return static_cast<float>(std::copysign(real, x));
  }
  const double code =
      std::clamp<double>(std::nearbyint(quotient) + grid.zeroPoint, codes.qmin, codes.qmax);
  // −0 + 0 = 0: codes know no −0.
  return static_cast<float>((code - grid.zeroPoint + 0.0) * scale);
}

}  // namespace quantscope
