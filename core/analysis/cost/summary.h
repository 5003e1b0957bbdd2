#pragma once

#include "analysis/analysis_result.h"
#include "calibration/observers/observations.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Sizes and counts of a model under its quantization.
///
/// Compression of a weight is 32 / bits; the true one counts a float32 scale per grid and, where
/// the weight is asymmetric, a zero point of the weight's width.
QuantizationSummary summarize(const Engine& engine, const QuantizedModel& model,
                              const Observations& observations);

}  // namespace quantscope
