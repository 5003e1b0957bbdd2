#include "jobs/run_repair.h"

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/output_folder.h"
#include "calibration/calibrate.h"
#include "export/formats/format.h"
#include "export/repair_json.h"
#include "jobs/quantize_model.h"
#include "onnx/writing/write_model.h"

namespace quantscope {

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
  return repairModel(state, data, calibration, settings, labels, request, memory, job);
}

void writeRepair(const RepairResult& result, const std::filesystem::path& folder, JobContext& job) {
  writeState(
      result.state, folder, "repair.json",
      repairJson(result).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
      job);
}

void writeState(const RepairState& state, const std::filesystem::path& folder,
                const char* reportName, const std::string& report, JobContext& job) {
  const std::string bytes = modelBytes({state.engine->graph(), {}});
  const FormatOutput config = ownConfiguration({*state.engine, state.config, *state.model});
  job.throwIfCancelled();
  OutputFolder out(folder);
  writeFileAtomically(out.path() / "model.onnx", bytes);
  writeFileAtomically(out.path() / "config.json", config.text);
  writeFileAtomically(out.path() / reportName, report + "\n");
  out.keep();
}

}  // namespace quantscope
