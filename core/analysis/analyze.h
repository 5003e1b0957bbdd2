#pragma once

#include <cstdint>
#include <span>

#include "analysis/analysis_result.h"
#include "base/job_context.h"
#include "calibration/observations.h"
#include "calibration/sample_source.h"
#include "engine/engine.h"
#include "precision/quantized_model.h"

namespace quantscope {

/// Runs every sample through the float and the quantized network and reports where they part:
/// per layer (local and accumulated, per channel and sample) and at the outputs. `labels` are
/// class indices of the first samples; may be empty. Bit-identical for any number of threads.
/// Throws InsufficientData where the source has no samples; UnsupportedOperation where not one
/// layer can be computed.
AnalysisResult analyze(const Engine& engine, const PrecisionConfig& config,
                       const QuantizedModel& model, const Observations& observations,
                       SampleSource& source, std::span<const std::int64_t> labels, JobContext& job);

}  // namespace quantscope
