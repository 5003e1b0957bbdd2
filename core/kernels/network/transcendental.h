#pragma once

#include <span>

namespace quantscope {

// y[i] = f(x[i]) for every i. x and y are equally long; they are the same elements or do not
// overlap. Every target of Highway's gives the same bits, whether or not denormals are flushed:
// denormal arguments count as 0 with their sign, and results below 2^−126 are 0. NaN gives NaN.
// The errors are the largest that the tests find, in units in the last place of the result.

/// e^x, within 1 ulp. +∞ above ln(2^128).
void exponential(std::span<const float> x, std::span<float> y);

/// 1 / (1 + e^−x), within 3 ulp.
void logistic(std::span<const float> x, std::span<float> y);

/// tanh x, within 6 ulp, so that its magnitude may pass 1 by one; the bits of ONNX Runtime.
void hyperbolicTangent(std::span<const float> x, std::span<float> y);

/// erf x = 2/√π ∫₀ˣ e^−t² dt, within 3 ulp.
void errorFunction(std::span<const float> x, std::span<float> y);

}  // namespace quantscope
