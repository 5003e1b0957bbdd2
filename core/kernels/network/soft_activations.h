#pragma once

#include <span>

namespace quantscope {

// y[i] = f(x[i]) for every i, under the rules of transcendental.h: x and y are equally long and
// the same or apart; every target gives the same bits, whether or not denormals are flushed;
// results below 2^−126 are 0; NaN gives NaN.

/// ln x, within 1 ulp. −∞ for ±0, NaN for negative numbers; denormals keep their value.
void naturalLogarithm(std::span<const float> x, std::span<float> y);

/// ln(1 + e^x), within 3 ulp.
void softplus(std::span<const float> x, std::span<float> y);

/// x·tanh(ln(1 + e^x)), within 5 ulp; −0 below ln 2^−126 = −87.3.
void mish(std::span<const float> x, std::span<float> y);

/// The parameters of Elu, Selu and Celu: positive·x, and negative·(e^(argument·x) − 1) below 0.
struct ExponentialLinear {
  float positive = 1;
  float negative = 1;
  float argument = 1;  ///< not negative
};

/// Within 3 ulp where the factors are 1.
void exponentialLinear(std::span<const float> x, std::span<float> y,
                       const ExponentialLinear& factors);

}  // namespace quantscope
