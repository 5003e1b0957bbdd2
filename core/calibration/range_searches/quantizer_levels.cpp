#include "calibration/range_searches/quantizer_levels.h"

#include <cmath>

namespace quantscope {
namespace {

// The magnitudes from 0 up: steps of 2^(minExponent − mantissaBits), which double with each power
// of two.
std::vector<double> float8Magnitudes(QuantType type) {
  const int minExponent = type == QuantType::Float8E4M3 ? -6 : -14;
  const int mantissa = mantissaBits(type);
  const double largest = largestNumber(type);
  std::vector<double> magnitudes;
  for (int code = 0; magnitudes.empty() || magnitudes.back() < largest; ++code) {
    const int exponent = code >> mantissa;
    const double significand = code & ((1 << mantissa) - 1);
    const double whole = exponent == 0 ? 0 : 1 << mantissa;
    magnitudes.push_back(std::ldexp(whole + significand,
                                    minExponent - mantissa + (exponent > 0 ? exponent - 1 : 0)));
  }
  return magnitudes;
}

}  // namespace

std::vector<double> levelsOf(const QuantParams& params, const Grid& grid) {
  std::vector<double> levels;
  if (isInteger(params.type)) {
    for (std::int32_t code = params.qmin; code <= params.qmax; ++code) {
      levels.push_back(static_cast<double>(code) - grid.zeroPoint);
    }
    return levels;
  }
  const std::vector<double> magnitudes = float8Magnitudes(params.type);
  for (auto i = magnitudes.rbegin(); i != magnitudes.rend() - 1; ++i) levels.push_back(-*i);
  levels.insert(levels.end(), magnitudes.begin(), magnitudes.end());
  return levels;
}

}  // namespace quantscope
