#include "precision/parameters/bias_quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quantscope {
namespace {

constexpr double kLowest = std::numeric_limits<std::int32_t>::min();
constexpr double kHighest = std::numeric_limits<std::int32_t>::max();
// ONNX Runtime's margin, and its symmetric range of int32.
constexpr double kMargin = 1.0001;
constexpr double kWidth = kHighest - (kLowest + 1);

double largestMagnitude(std::span<const float> values) {
  double largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(double{value}));
  return largest;
}

bool fitScale(double magnitude, float inputScale, Grid& weight) {
  const double scale = double{inputScale} * weight.scale;
  const double least = kMargin * (2 * magnitude) / kWidth;
  if (!(scale > 0) || !(scale < least)) return false;
  weight.scale = static_cast<float>(weight.scale * (least / scale));
  return true;
}

}  // namespace

int biasBits(const QuantParams& input) {
  return bitWidth(input.type) == 16 ? 64 : 32;
}

std::size_t fitScalesToBias(const Tensor& bias, float inputScale, QuantParams& weight) {
  const std::span<const float> values = bias.values<float>();
  if (weight.grids.size() == 1) {
    return fitScale(largestMagnitude(values), inputScale, weight.grids.front()) ? 1 : 0;
  }
  std::size_t raised = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (fitScale(std::abs(double{values[i]}), inputScale, weight.grids[i])) ++raised;
  }
  return raised;
}

QuantizedBias quantizeBias(const Tensor& bias, float inputScale, const QuantParams& weight,
                           int bits) {
  QuantizedBias result{Tensor(ElementType::Float32, bias.shape()), {}, 0};
  for (const Grid& grid : weight.grids) result.scales.push_back(inputScale * grid.scale);
  const std::span<const float> source = bias.values<float>();
  const std::span<float> target = result.values.mutableValues<float>();
  for (std::size_t i = 0; i < source.size(); ++i) {
    const float scale = result.scales[result.scales.size() == 1 ? 0 : i];
    if (!(scale > 0)) {  // the product of two tiny scales underflows: there is no such grid
      target[i] = source[i];
      continue;
    }
    double code = std::nearbyint(static_cast<double>(source[i]) / scale);
    if (bits == 32 && !(code >= kLowest && code <= kHighest)) {
      ++result.overflows;
      code = std::clamp(code, kLowest, kHighest);
    }
    target[i] = static_cast<float>(code) * scale;
  }
  return result;
}

}  // namespace quantscope
