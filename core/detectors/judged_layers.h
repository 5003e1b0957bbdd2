#pragma once

#include <cstdint>
#include <vector>

#include "precision/parameters/quantized_model.h"

namespace quantscope {

enum class DetectorMode : std::uint8_t {
  Quantscope,  ///< corrects known faults of the published rules
  PyTorch,     ///< the statistics and verdicts of PyTorch's ModelReport, including its faults
};

/// The layers that detectors look at, in execution order. In our mode those of the quantized model;
/// in PyTorch's as `prepare_fx` fuses them, whatever the backend: Conv and Linear (Gemm, or MatMul
/// with a bias) with BatchNormalization and Relu behind them, BatchNormalization with Relu.
struct JudgedLayers {
  JudgedLayers(const Engine& engine, const QuantizedModel& model, DetectorMode mode);

  std::vector<FusedLayer> all;
  /// Those with constant weights; in PyTorch's mode only Conv and Linear.
  std::vector<FusedLayer> weighted;
};

}  // namespace quantscope
