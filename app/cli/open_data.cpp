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

void requireUseOfSeed(const DataOptions& options) {
  const auto isRandom = [](const std::string& data) {
    return sourceKind(data) == SourceKind::Random;
  };
  if (!options.seed || options.drawsFromSeed || isRandom(options.data)) return;
  if (options.calibration && isRandom(*options.calibration)) return;
  throw Error(ErrorCode::InvalidParameters, "nothing here is random",
              {.file = options.data, .node = {}, .value = {}}, "leave --seed out or give random:N");
}

// Preprocessing is for the images among the data and the calibration.
SourceOptions sourceOptionsOf(const DataOptions& options, const std::string& data) {
  requireUseOfPreprocessing(options);
  requireUseOfSeed(options);
  SourceOptions source = sourceOptions(options);
  if (!isImages(data)) source.preprocessing.reset();
  return source;
}

}  // namespace

SourceOptions sourceOptions(const DataOptions& options) {
  SourceOptions source;
  source.samples = options.samples;
  source.seed = options.seed.value_or(options.keptSeed);
  source.preprocessing =
      options.preprocess ? readPreprocessing(*options.preprocess) : options.keptPreprocessing;
  return source;
}

std::unique_ptr<SampleSource> openData(const DataOptions& options, const std::string& data,
                                       const Graph& graph) {
  return openSamples(data, graph, sourceOptionsOf(options, data));
}

std::shared_ptr<SampleSet> openStream(const DataOptions& options, const std::string& data,
                                      const Graph& graph, bool acceptsNonFinite) {
  SourceOptions source = sourceOptionsOf(options, data);
  source.acceptsNonFinite = acceptsNonFinite;
  return openSampleSet(data, graph, source, 0);
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

std::shared_ptr<SampleSet> openCalibrationStream(const DataOptions& options, const Graph& graph) {
  return openStream(options, options.calibration.value_or(options.data), graph);
}

std::string sampleWord(const SampleSource& samples) {
  return samples.synthetic() ? "SYNTHETIC sample" : "sample";
}

std::size_t budgetOf(const JobContext& job) {
  return job.memoryBudget() == 0 ? defaultMemoryBudget() : job.memoryBudget();
}

OpenedData openAllData(const DataOptions& options, const Graph& graph, const JobContext& job) {
  const auto open = [&](const std::string& data) {
    return openSampleSet(data, graph, sourceOptionsOf(options, data),
                         AnalysisMemory::sampleBytes(budgetOf(job)));
  };
  OpenedData opened;
  if (options.labels) opened.labels = {readLabels(*options.labels), *options.labels};
  opened.data = open(options.data);
  const bool own = options.calibration && *options.calibration != options.data;
  opened.calibration = own ? open(*options.calibration) : opened.data;
  return opened;
}

void requireUnchanged(SampleSet& data, SampleSet& calibration, const Labels& labels) {
  data.requireUnchanged();
  if (&calibration != &data) calibration.requireUnchanged();
  if (labels.source.empty() || readLabels(labels.source) == labels.classes) return;
  throw Error(ErrorCode::InvalidData, "the labels have changed while they were in use",
              {.file = labels.source, .node = {}, .value = {}},
              "start again when the file is complete");
}

void OpenedData::requireUnchanged() const {
  cli::requireUnchanged(*data, *calibration, labels);
}

}  // namespace quantscope::cli
