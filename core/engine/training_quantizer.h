#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "quant/quant_params.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Fake quantization as an operator of its own, for graphs that are trained: scales and zero points
/// are inputs, so that they have cotangents. Files cannot name it: its domain has no versions.
///
///   y = FakeQuantize(x, scale, zero_point, noise)
///
/// scale and zero_point: float32, one element per grid. Zero points are real numbers, rounded and
/// clamped to the codes in use. noise: int64 [1], the key of stochastic rounding; omitted: each
/// element goes to the nearest code, with the bits of fakeQuantizeValue(). Dynamic parameters and
/// types without integer codes take their grids from the attributes, or from the data, and leave
/// the other inputs out.
struct TrainingQuantizer {
  static constexpr std::string_view kDomain = "quantscope.training";
  static constexpr std::string_view kOperator = "FakeQuantize";
  static constexpr int kVersion = 1;

  /// The properties that do not change in training. The grids are those that training starts from.
  QuantParams form;
  std::size_t batch = 1;     ///< samples along axis 0
  float temperature = 1;     ///< of stochastic rounding, > 0
  std::uint64_t tensor = 0;  ///< tells one quantizer's noise from another's

  static TrainingQuantizer of(const Node& node);
  std::vector<Attribute> attributes() const;
  /// True where scale and zero point are inputs.
  bool takesGrids() const { return isInteger(form.type) && !form.dynamic; }
  /// The parameters with the grids of these inputs.
  QuantParams params(const Tensor& scale, const Tensor& zeroPoint) const;
};

/// The code that real zero points stand for: rounded, ties to even, and clamped to the codes in
/// use.
std::int32_t roundedZeroPoint(float zeroPoint, const QuantParams& params);

/// Where the elements of a tensor round up although the lower code may be nearer. Elements count in
/// logical order.
class RoundingNoise {
 public:
  /// P(up) = f^(1/τ) / (f^(1/τ) + (1 − f)^(1/τ)) for the fraction f above the lower code, τ the
  /// temperature. With τ = 1 the mean of many roundings is the number itself.
  RoundingNoise(std::uint64_t key, std::uint64_t tensor, float temperature);

  /// v rounded to one of its two neighbouring integers.
  float rounded(float v, std::size_t element) const;

 private:
  std::uint64_t m_key;
  double m_power;
};

/// x̂ of static integer parameters under stochastic rounding; Plain. Throws what fakeQuantize()
/// throws for grids that do not fit.
Tensor stochasticQuantize(const Tensor& x, const QuantParams& params, const RoundingNoise& noise);

}  // namespace quantscope
