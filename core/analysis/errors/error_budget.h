#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/analysis_result.h"
#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The budgets of some layers of a quantized model, in the order of `layers`; nullopt if a layer's
/// own error cannot be measured (not quantized, not computed, inside a sub-graph), or the signal is
/// 0. Bit-identical for any number of threads. Results in `memory` are not computed again. Throws
/// Cancelled.
std::vector<std::optional<ErrorBudget>> measureErrorBudgets(
    const Engine& engine, const QuantizedModel& model, SampleSet& samples,
    std::span<const std::size_t> layers, AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope
