#pragma once

#include <optional>

#include "calibration/observers/observations.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The work and the bits of a model under its quantization; its bytes are in QuantizationSummary.
struct ModelCost {
  /// Multiply-accumulates of convolutions, matrix products and recurrences for one sample, on
  /// average over the calibration data. Absent where calibration counted none.
  std::optional<double> macs;
  /// Mean over the elements of all weights: bits of what is stored of them, without scales and zero
  /// points; a weight that layers read in several forms is stored in each. Absent without weights.
  std::optional<double> meanBits;

  friend bool operator==(const ModelCost&, const ModelCost&) = default;
};

ModelCost modelCost(const Engine& engine, const QuantizedModel& model,
                    const Observations& observations);

}  // namespace quantscope
