#include "open_data.h"

#include "analysis/analysis_memory.h"
#include "base/error.h"
#include "base/memory_budget.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope::cli {
namespace {

bool isImages(const std::string& data) {
  return sourceKind(data) == SourceKind::Images;
}

void requireUseOfPreprocessing(const DataOptions& options) {
  if (!options.preprocess || isImages(options.data)) return;
  if (options.calibration && isImages(*options.calibration)) return;
  throw Error(ErrorCode::InvalidParameters, "there are no images to preprocess",
              {.file = options.data, .node = {}, .value = {}},
              "leave --preprocess out or give a folder of images");
}

}  // namespace

SourceOptions sourceOptions(const DataOptions& options) {
  SourceOptions source;
  source.samples = options.samples;
  source.seed = options.seed;
  source.preprocessing =
      options.preprocess ? readPreprocessing(*options.preprocess) : options.keptPreprocessing;
  return source;
}

std::unique_ptr<SampleSource> openData(const DataOptions& options, const std::string& data,
                                       const Graph& graph, bool acceptsNonFinite) {
  requireUseOfPreprocessing(options);
  SourceOptions source = sourceOptions(options);
  if (!isImages(data)) source.preprocessing.reset();
  source.acceptsNonFinite = acceptsNonFinite;
  return openSamples(data, graph, source);
}

Configuration openConfig(const DataOptions& options, const LoadedModel& model) {
  if (!options.config) return options.keptConfig.value_or(Configuration());
  try {
    Configuration config = readConfiguration(*options.config);
    findObserverGroups(*model.engine, *config.precision);
    return config;
  } catch (const Error& error) {
    throw error.at({.file = options.config->string(), .node = {}, .value = {}});
  }
}

std::unique_ptr<SampleSource> openCalibrationData(const DataOptions& options, const Graph& graph) {
  return openData(options, options.calibration.value_or(options.data), graph);
}

std::size_t budgetOf(const JobContext& job) {
  return job.memoryBudget() == 0 ? defaultMemoryBudget() : job.memoryBudget();
}

OpenedData openAllData(const DataOptions& options, const Graph& graph, const JobContext& job) {
  const auto open = [&](std::unique_ptr<SampleSource> source) {
    return std::make_shared<SampleSet>(std::move(source),
                                       AnalysisMemory::sampleBytes(budgetOf(job)));
  };
  OpenedData opened;
  if (options.labels) opened.labels = {readLabels(*options.labels), *options.labels};
  opened.data = open(openData(options, options.data, graph));
  const bool own = options.calibration && *options.calibration != options.data;
  opened.calibration = own ? open(openCalibrationData(options, graph)) : opened.data;
  return opened;
}

FilesAsRead::FilesAsRead(const DataOptions& options) {
  for (const std::string& path : {options.data, options.calibration.value_or(std::string())}) {
    const FileStamp stamp = stampOf(path);
    if (stamp.id.valid()) m_files.push_back({path, stamp});
  }
}

void FilesAsRead::requireUnchanged() const {
  for (const StampedFile& file : m_files) {
    if (file.unchanged()) continue;
    throw Error(ErrorCode::InvalidData,
                "has changed while it was read, so that old and new samples stand in one result",
                {.file = file.path.string(), .node = {}, .value = {}},
                "run it again when nothing writes to it any more");
  }
}

}  // namespace quantscope::cli
