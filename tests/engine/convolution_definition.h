#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace quantscope::test {

/// A convolution, or a transposed one, spelled out: pads are [begin …, end …].
struct ConvolutionCase {
  const char* name;
  const char* x;
  const char* weights;
  const char* strides;
  const char* dilations;
  const char* pads;
  std::int64_t groups = 1;
  const char* outputPadding = nullptr;  ///< only of a transposed one
};

/// The result of the definition, added up in double.
struct ConvolutionResult {
  Shape shape;
  std::vector<double> values;
  std::vector<double> magnitudes;  ///< Σ |x · w| + |b|
};

/// The attributes of the case as in a node of graph_text.h, with a blank in front.
std::string convolutionAttributes(const ConvolutionCase& row);

/// Computes the definition element by element; `bias` has one number per filter or none.
ConvolutionResult convolve(const ConvolutionCase& row, const Tensor& x, const Tensor& w,
                           const std::vector<double>& bias);
/// Every element of the input paints its kernel.
ConvolutionResult convolveTransposed(const ConvolutionCase& row, const Tensor& x, const Tensor& w,
                                     const std::vector<double>& bias);

/// How far a float result may be off where `terms` products and a bias meet in each element: a sum
/// of n float products, in any order, is off by at most n · 2⁻²⁴ · Σ |products| (Higham, Accuracy
/// and Stability of Numerical Algorithms, 3.1), to first order; 2 covers the rest.
std::vector<double> floatBounds(const ConvolutionResult& result, std::int64_t terms);

/// Adds a data column "index" with a row per case.
void addConvolutionCases(std::span<const ConvolutionCase> cases);

}  // namespace quantscope::test
