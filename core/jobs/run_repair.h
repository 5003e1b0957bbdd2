#pragma once

#include <filesystem>

#include "analysis/analysis_memory.h"
#include "analysis/analyze.h"
#include "jobs/load_model.h"
#include "repair/recipe.h"

namespace quantscope {

/// Calibrates, quantizes and repairs a model; see repairModel().
RepairResult runRepair(const LoadedModel& model, const Configuration& config, SampleSet& data,
                       SampleSet& calibration, const Labels& labels, const RepairRequest& request,
                       AnalysisMemory& memory, JobContext& job);

/// Writes `model.onnx` (the repaired float model), `config.json` (the configuration with the exact
/// parameters of all activations and weights, so that it gives the same numbers on any calibration
/// data) and `repair.json` into a folder. Throws Error(Io), and InvalidModel for a model that
/// cannot be written.
void writeRepair(const RepairResult& result, const std::filesystem::path& folder, JobContext& job);

/// The same of any state, with a report of that name.
void writeState(const RepairState& state, const std::filesystem::path& folder,
                const char* reportName, const std::string& report, JobContext& job);

}  // namespace quantscope
