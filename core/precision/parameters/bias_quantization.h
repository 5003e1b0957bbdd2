#pragma once

#include <cstddef>
#include <vector>

#include "quant/quant_params.h"
#include "tensor/tensor.h"

namespace quantscope {

/// How many bits an integer bias has: 64 beside inputs of 16 bits, as in TensorFlow Lite's 16x8
/// kernels, else 32.
int biasBits(const QuantParams& input);

/// Raises scales of `weight` (one, or one per channel of the bias) until `bias` fits into int32,
/// as ONNX Runtime's quantizer does since 1.20.1:
///   s_input · s_weight ≥ 1.0001 · 2·|b| / (2^32 − 2),
/// |b| the largest element under one scale, each channel's own otherwise. Where s_input · s_weight
/// is 0 in double nothing changes. Returns how many scales it raised.
std::size_t fitScalesToBias(const Tensor& bias, float inputScale, QuantParams& weight);

/// A bias on the integer grid of its layer.
struct QuantizedBias {
  Tensor values;              ///< back as real numbers
  std::vector<float> scales;  ///< s_input·s_weight: one, or one per channel
  std::size_t overflows = 0;  ///< elements beyond the range of int32, clamped
};

/// Bias b per output channel: q = clamp(rne(b / s)), b̂ = q·s, s = s_input·s_weight[channel].
/// `weight` has one grid, or one per channel of the bias. 64 bits hold every q.
QuantizedBias quantizeBias(const Tensor& bias, float inputScale, const QuantParams& weight,
                           int bits);

}  // namespace quantscope
