#pragma once

#include <optional>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/analysis_result.h"
#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// By layer of `model`, which is the network under `config`, its own effect on the network's
/// outputs: the error of the worst output, over all samples, where the rest of the network is in
/// float: the configuration {"default": "fp32", "nodes": {NODE: its precision}}, around which
/// Sensitivity measures, too. What the layer reads is rounded to its grid as well, whoever made it.
/// nullopt for layers in float and where no output can be compared. Only what comes behind a layer
/// runs. Bit-identical for any number of threads. Throws Cancelled.
std::vector<std::optional<LayerError>> measureContributions(
    const Engine& engine, const Configuration& config, const Observations& observations,
    const QuantizedModel& model, SampleSet& samples, AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope
