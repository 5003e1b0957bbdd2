#pragma once

#include <cstddef>

#include "analysis/errors/error_metrics.h"
#include "precision/config/configuration.h"
#include "tensor/tensor.h"

namespace quantscope {

/// One array, its fake-quantized twin, and how they differ.
struct QuantizedTensor {
  Tensor values;  ///< float32, in the shape of the array
  QuantParams params;
  Range observed;             ///< of its finite elements; empty where it has none
  ErrorMetrics errors;        ///< over the elements that are finite in both
  std::size_t nonFinite = 0;  ///< NaN and ±Inf in the array
  std::size_t overflows = 0;  ///< finite elements that became ±Inf
};

/// Fake-quantizes `array`, converted to float32, by grids from its own elements.
///
/// NaN and ±Inf do not count for the grids; they come out as the type has them
/// (kernels/codes/fake_quantize.h). Where an element overflowed, the squared and the largest error
/// are infinite. Throws InvalidParameters for a granularity whose axis the array lacks.
QuantizedTensor quantizeTensor(const Tensor& array, const TensorPrecision& precision,
                               Convention convention);

}  // namespace quantscope
