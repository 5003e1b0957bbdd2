#pragma once

#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/analysis_result.h"
#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The effect of quantizing only weights and only activations on the outputs of a quantized model,
/// besides the effect of both, by output of the network. A bias goes with the weights; a constant
/// on an edge between two activations, as of an Add, with the activations. Throws Cancelled.
std::vector<LadderStep> measureLadder(const Engine& engine, const QuantizedModel& model,
                                      const AnalysisResult& result, SampleSet& samples,
                                      AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope
