#pragma once

#include <vector>

#include "detectors/detector_mode.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

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
