#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/analyze.h"
#include "jobs/analysis_snapshot.h"
#include "jobs/load_model.h"
#include "repair/recipe.h"
#include "training/training_choices.h"

namespace quantscope {

/// Calibrates, quantizes and repairs a model; see repairModel().
RepairResult runRepair(const LoadedModel& model, const Configuration& config, SampleSet& data,
                       SampleSet& calibration, const Labels& labels, const RepairRequest& request,
                       AnalysisMemory& memory, JobContext& job);

/// The same of a complete result, from what it has observed.
RepairResult runRepair(const AnalysisSnapshot& shown, const Labels& labels,
                       const RepairRequest& request, AnalysisMemory& memory, JobContext& job);

/// A repair of `shown` as a complete result of its own, with the repaired model. Outputs are those
/// of the repair, against the float model that was given; layers are measured against those of the
/// float model that repairs have made of it, since they may have other scales. Throws what
/// analyze() throws.
SnapshotPtr repairedSnapshot(const AnalysisSnapshot& shown, const RepairResult& repair,
                             AnalysisMemory& memory, JobContext& job);

/// Writes `model.onnx` (the repaired float model), `config.json` (the configuration with the exact
/// parameters of all activations and weights, so that it gives the same numbers on any calibration
/// data) and `repair.json` into a folder. Throws Error(Io), and InvalidModel for a model that
/// cannot be written. `training`: see repairJson().
void writeRepair(const RepairResult& result, const std::filesystem::path& folder, JobContext& job,
                 const TrainingChoices* training = nullptr);

/// The files that writeRepair() writes into a folder.
std::vector<std::filesystem::path> repairedFiles(const std::filesystem::path& folder);

/// The same of any state, with such reports: their texts by the names of their files.
void writeState(const RepairState& state, const std::filesystem::path& folder,
                const std::map<std::string, std::string>& reports, JobContext& job);
/// repair.json as it is written.
std::string repairFile(const RepairResult& result, const TrainingChoices* training = nullptr);

}  // namespace quantscope
