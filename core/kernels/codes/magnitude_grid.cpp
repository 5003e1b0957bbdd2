#include "kernels/codes/magnitude_grid.h"

#include <cmath>
#include <string>

#include "base/error.h"
#include "kernels/codes/magnitude_sums.h"

namespace quantscope {

// Towards 0, so that a float exceeds the rounded threshold exactly where it exceeds the real one.
float ternaryThreshold(double meanMagnitude) {
  const double exact = kTernaryThreshold * meanMagnitude;
  const auto rounded = static_cast<float>(exact);
  return rounded > exact ? std::nextafterf(rounded, 0.0F) : rounded;
}

Grid magnitudeGrid(QuantType type, std::span<const float> values) {
  if (!isSignCode(type)) {
    throw Error(ErrorCode::InvalidParameters,
                std::string(name(type)) + " has no scale that follows from mean magnitudes");
  }
  const double mean = magnitudeSums(values).mean();
  if (type == QuantType::Binary) return {static_cast<float>(mean), 0, 0};
  const float threshold = ternaryThreshold(mean);
  return {static_cast<float>(magnitudeSums(values, threshold).mean()), 0, threshold};
}

}  // namespace quantscope
