#pragma once

#include <memory>
#include <vector>

#include "analysis/analyze.h"
#include "calibration/open_sample_set.h"
#include "command.h"
#include "jobs/load_model.h"
#include "precision/config/configuration.h"

namespace quantscope::cli {

/// How the samples of a command are read; images of the data or of the calibration with
/// --preprocess. Throws Error naming its file.
SourceOptions sourceOptions(const DataOptions& options);

/// The samples that `data` names, for this model and with these options.
std::unique_ptr<SampleSource> openData(const DataOptions& options, const std::string& data,
                                       const Graph& graph);

/// The same as a set that is read once or twice, from the first to the last: it keeps none of them
/// in memory. NaN and ±Inf are an error unless `acceptsNonFinite`.
std::shared_ptr<SampleSet> openStream(const DataOptions& options, const std::string& data,
                                      const Graph& graph, bool acceptsNonFinite = false);

/// The configuration that --config names, else the default one. Throws Error naming the file for
/// a configuration that does not fit the model or whose groups contradict each other.
Configuration openConfig(const DataOptions& options, const LoadedModel& model);

/// The samples to calibrate with, likewise: --calibration, else the data itself.
std::shared_ptr<SampleSet> openCalibrationStream(const DataOptions& options, const Graph& graph);

/// The samples of a command in memory.
struct OpenedData {
  std::shared_ptr<SampleSet> data;
  std::shared_ptr<SampleSet> calibration;  ///< the same where none is named
  Labels labels;

  /// See below.
  void requireUnchanged() const;
};

/// Opens --data, --calibration and --labels.
OpenedData openAllData(const DataOptions& options, const Graph& graph, const JobContext& job);

/// Throws InvalidData, naming the file, where the files no longer hold the samples and labels that
/// were read: before anything is written, so that no result mixes old and new ones.
void requireUnchanged(SampleSet& data, SampleSet& calibration, const Labels& labels = {});

/// "sample", and of synthetic ones that they are.
std::string sampleWord(const SampleSource& samples);

/// The limit of --memory, else the default.
std::size_t budgetOf(const JobContext& job);

}  // namespace quantscope::cli
