#include "jobs/repair/run_repair.h"

#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "base/files/output_folder.h"
#include "calibration/calibrate.h"
#include "export/formats/format.h"
#include "export/json/repair_json.h"
#include "jobs/analysis/find_faults.h"
#include "jobs/quantize_model.h"
#include "onnx/writing/write_model.h"

namespace quantscope {
namespace {

constexpr const char* kModelFile = "model.onnx";
constexpr const char* kConfigFile = "config.json";
constexpr const char* kReportFile = "repair.json";

void nameOriginal(const LoadedModel& model, RepairResult& result) {
  if (!model.file.empty()) result.original = std::filesystem::absolute(model.file).string();
  result.originalContent = model.engine->content();
}

}  // namespace

RepairResult runRepair(const LoadedModel& model, const Configuration& config, SampleSet& data,
                       SampleSet& calibration, const Labels& labels, const RepairRequest& request,
                       AnalysisMemory& memory, JobContext& job) {
  const ObservationSettings settings = observationSettings(config, request.batch);
  RepairState state;
  state.twin = state.engine = model.engine;
  state.config = config;
  state.observations =
      std::make_shared<const Observations>(calibrate(*model.engine, calibration, settings, job));
  state.model = quantizeModel(*model.engine, config, *state.observations, memory.parameters, &job);
  RepairResult result =
      repairModel(state, data, calibration, settings, labels, request, memory, job);
  nameOriginal(model, result);
  return result;
}

RepairResult runRepair(const AnalysisSnapshot& shown, const Labels& labels,
                       const RepairRequest& request, AnalysisMemory& memory, JobContext& job) {
  const Configuration& config = shown.request.config;
  RepairState state;
  state.twin = state.engine = shown.model.engine;
  state.config = config;
  state.observations = shown.observations;
  state.model = shown.quantized;
  RepairResult result =
      repairModel(state, *shown.data, *shown.calibration,
                  observationSettings(config, request.batch), labels, request, memory, job);
  nameOriginal(shown.model, result);
  return result;
}

SnapshotPtr repairedSnapshot(const AnalysisSnapshot& shown, const RepairResult& repair,
                             AnalysisMemory& memory, JobContext& job) {
  const RepairState& state = repair.state;
  auto repaired = std::make_shared<AnalysisSnapshot>(shown);
  repaired->request.config = state.config;
  repaired->model.engine = state.engine;
  repaired->model.graph = state.engine->sharedGraph();
  repaired->observations = state.observations;
  repaired->quantized = state.model;
  AnalysisResult result = analyzeAgainst(*state.twin, *state.engine, state.config, *state.model,
                                         *state.observations, *shown.data, {}, memory, job);
  result.outputs = repair.endAll;
  result.model = shown.result->model;
  result.calibrationData = shown.result->calibrationData;
  result.synthetic = shown.result->synthetic;
  repaired->detected = std::make_shared<const DetectorReport>(
      findFaults(repaired->model, state.config, *state.model, *state.observations, result,
                 shown.request.detectors));
  repaired->gainsKnown = false;
  repaired->result = std::make_shared<const AnalysisResult>(std::move(result));
  return repaired;
}

void writeRepair(const RepairResult& result, const std::filesystem::path& folder, JobContext& job,
                 const TrainingChoices* training) {
  writeState(result.state, folder, {{kReportFile, repairFile(result, training)}}, job);
}

std::vector<std::filesystem::path> repairedFiles(const std::filesystem::path& folder) {
  return {folder / kModelFile, folder / kConfigFile, folder / kReportFile};
}

std::string repairFile(const RepairResult& result, const TrainingChoices* training) {
  return repairJson(result, training)
      .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void writeState(const RepairState& state, const std::filesystem::path& folder,
                const std::map<std::string, std::string>& reports, JobContext& job) {
  const std::string bytes = modelBytes({state.engine->graph(), {}});
  const Configuration shown = configurationFor(folder / kConfigFile, state.config);
  const FormatOutput config = ownConfiguration({*state.engine, shown, *state.model});
  job.throwIfCancelled();
  OutputFolder out(folder);
  writeFileAtomically(out.path() / kModelFile, bytes);
  writeFileAtomically(out.path() / kConfigFile, config.text);
  for (const auto& [name, report] : reports) {
    writeFileAtomically(out.path() / name, report + "\n");
  }
  out.keep();
}

}  // namespace quantscope
