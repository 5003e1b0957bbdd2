#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "command.h"
#include "jobs/analysis/keep_analysis.h"
#include "jobs/work_done.h"

namespace quantscope::cli {

/// The project file of `analyze --project`: provides settings that the command line leaves out, and
/// takes the results. A missing file is created only when there is something to write, so that a
/// failed run leaves nothing behind.
class AnalysisProject {
 public:
  /// Throws Error where the file is there and cannot be used or written.
  explicit AnalysisProject(const std::filesystem::path& file);

  /// Tells whether an option stands on the command line.
  using Given = std::function<bool(const char* option)>;

  /// Fills in unnamed options: the model, the configuration and, without data on the command line,
  /// the data with all options that belong to it. Reports changes of the files in `notices`. Throws
  /// Error for a missing file that the command line does not replace.
  void complete(std::string& model, DataOptions& data, DetectorMode& detectors, const Given& given,
                std::vector<std::string>& notices) const;
  /// The kept result of this analysis, or null; loads its measurements into the memory.
  SnapshotPtr restore(const OpenedAnalysis& opened, AnalysisMemory& memory, JobContext& job) const;
  /// The ids of the findings that are dismissed in it.
  std::set<std::string> dismissed() const;
  /// The work done up to the configuration of an analysis. Throws Cancelled.
  WorkDone workOn(const AnalysisSnapshot& analysis, AnalysisMemory& memory, JobContext& job) const;
  /// Writes an analysis; a configuration from the command line becomes an edit of the project's.
  void keep(const AnalysisSnapshot& analysis, const AnalysisMemory& memory);

 private:
  Document documentWith(const Configuration& config) const;
  void takeData(DataOptions& data, DetectorMode& detectors, const Given& given,
                std::vector<std::string>& notices) const;

  std::filesystem::path m_file;
  std::unique_ptr<ProjectFile> m_project;  ///< null where it is not there yet
};

}  // namespace quantscope::cli
