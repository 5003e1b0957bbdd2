#include "open_data.h"

#include "base/error.h"
#include "calibration/open_samples.h"
#include "precision/observer_groups.h"

namespace quantscope::cli {

std::unique_ptr<SampleSource> openData(const DataOptions& options, const std::string& data,
                                       const Graph& graph) {
  SourceOptions source;
  source.samples = options.samples;
  source.seed = options.seed;
  if (options.preprocess && sourceKind(data) == SourceKind::Images) {
    source.preprocessing = readPreprocessing(*options.preprocess);
  }
  return openSamples(data, graph, source);
}

PrecisionConfig openConfig(const DataOptions& options, const LoadedModel& model) {
  if (!options.config) return {};
  try {
    PrecisionConfig config = readPrecisionConfig(*options.config);
    findObserverGroups(*model.engine, config);
    return config;
  } catch (const Error& error) {
    throw error.at({.file = options.config->string(), .node = {}, .value = {}});
  }
}

std::unique_ptr<SampleSource> openCalibrationData(const DataOptions& options, const Graph& graph) {
  return openData(options, options.calibration.value_or(options.data), graph);
}

}  // namespace quantscope::cli
