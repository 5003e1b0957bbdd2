#pragma once

#include <memory>
#include <vector>

#include "analysis/analyze.h"
#include "base/files/file_stamp.h"
#include "calibration/open_samples.h"
#include "calibration/sample_set.h"
#include "command.h"
#include "jobs/load_model.h"
#include "precision/config/configuration.h"

namespace quantscope::cli {

/// How the samples of a command are read; images of the data or of the calibration with
/// --preprocess. Throws Error naming its file.
SourceOptions sourceOptions(const DataOptions& options);

/// The samples that `data` names, for this model and with these options. NaN and ±Inf among them
/// are an error unless `acceptsNonFinite`.
std::unique_ptr<SampleSource> openData(const DataOptions& options, const std::string& data,
                                       const Graph& graph, bool acceptsNonFinite = false);

/// The configuration that --config names, else the default one. Throws Error naming the file for
/// a configuration that does not fit the model or whose groups contradict each other.
Configuration openConfig(const DataOptions& options, const LoadedModel& model);

/// The samples to calibrate with: --calibration, else the data itself.
std::unique_ptr<SampleSource> openCalibrationData(const DataOptions& options, const Graph& graph);

/// The samples of a command in memory.
struct OpenedData {
  std::shared_ptr<SampleSet> data;
  std::shared_ptr<SampleSet> calibration;  ///< the same where none is named
  Labels labels;
};

/// Opens --data, --calibration and --labels.
OpenedData openAllData(const DataOptions& options, const Graph& graph, const JobContext& job);

/// The files and folders of samples that a command reads once, from the first to the last.
class FilesAsRead {
 public:
  /// As they are now.
  explicit FilesAsRead(const DataOptions& options);
  /// Throws InvalidData, naming the one, where one has changed since.
  void requireUnchanged() const;

 private:
  std::vector<StampedFile> m_files;
};

/// The limit of --memory, else the default.
std::size_t budgetOf(const JobContext& job);

}  // namespace quantscope::cli
