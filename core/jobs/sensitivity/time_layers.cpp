#include "jobs/sensitivity/time_layers.h"

#include "analysis/cost/layer_times.h"
#include "analysis/cost/model_time.h"

namespace quantscope {
namespace {

// Layers need no calibration.
QuantizedModel layersOf(const LoadedModel& model, Configuration config, const JobContext& job) {
  config.precision.edit([](PrecisionConfig& precision) { precision.calibrationSamples = 0; });
  return quantizeModel(*model.engine, config, Observations(), &job);
}

}  // namespace

CostTable timeLayers(const LoadedModel& model, const Configuration& config, SampleSet& samples,
                     JobContext& job) {
  job.beginStage("Timing layers", 0);
  return measureLayerTimes(*model.engine, layersOf(model, config, job), samples.read(0), job);
}

CostTable openCostTable(const std::filesystem::path& file, const LoadedModel& model,
                        const Configuration& config, std::vector<std::string>& notices,
                        JobContext& job) {
  CostTable table = readCostTable(file);
  requireAllLayers(table, *model.graph, layersOf(model, config, job), file.string());
  notices = costNotices(table, *model.graph, config.precision->backend);
  return table;
}

}  // namespace quantscope
