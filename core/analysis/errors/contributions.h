#pragma once

#include <optional>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/analysis_result.h"
#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// By layer of a quantized model, its own effect on the network's outputs: the error
/// of the worst output, over all samples, with this layer alone quantized as it is in
/// the model. As for its local error, a grid that the layer before puts on its own
/// output counts there, so that every grid counts once. nullopt for layers in float
/// and where no output can be compared. `reference`: the same network in float. Only
/// what comes behind a layer runs. Bit-identical for any number of threads. Throws
/// Cancelled.
std::vector<std::optional<LayerError>> measureContributions(
    const Engine& engine, const QuantizedModel& reference, const QuantizedModel& model,
    SampleSet& samples, AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope
