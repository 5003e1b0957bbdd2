#include "jobs/repair/run_training.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "export/json/training_json.h"
#include "training/training_samples.h"

namespace quantscope {

TrainingResult runTraining(const LoadedModel& model, const Configuration& config, SampleSet& data,
                           SampleSet& calibration, const Labels& labels,
                           const TrainingSettings& settings, std::size_t batch,
                           AnalysisMemory& memory, JobContext& job) {
  const auto run = std::make_shared<TrainingRun>();
  run->settings = settings;
  run->takeLabels(labels, data, calibration);
  RepairRequest request;
  request.seconds = std::exchange(run->settings.seconds, std::nullopt);
  request.steps = {trainingStep(run)};
  request.batch = batch;
  TrainingResult result{
      runRepair(model, config, data, calibration, labels, request, memory, job), {}, {}};
  if (run->error) std::rethrow_exception(run->error);
  if (!run->report) {
    throw Error(ErrorCode::InsufficientData,
                "nothing was trained: " + result.result.steps.front().reason, {},
                wayToEnoughSamples());
  }
  result.training = *run->report;
  return result;
}

void writeTraining(const TrainingResult& result, const std::filesystem::path& folder,
                   JobContext& job) {
  const std::string report =
      trainingJson(result.result, result.training, &result.choices)
          .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  writeState(result.result.state, folder,
             {{"train.json", report}, {"repair.json", repairFile(result.result, &result.choices)}},
             job);
}

}  // namespace quantscope
