#pragma once

#include <string>

#include "base/workers.h"
#include "jobs/analysis/keep_analysis.h"

namespace quantscope::test {

/// A bundled network with an analysis of its first samples, to be kept in a project.
struct AnalysedWork {
  /// `folder`: for the project file.
  explicit AnalysedWork(const std::string& folder, std::size_t samples);

  /// Writes everything into the file.
  void keep() const;

  Workers workers{2};
  mutable JobContext job;
  AnalysisMemory memory{std::size_t{256} << 20};
  OpenedAnalysis opened;
  DocumentFiles files;
  SnapshotPtr analysis;
  std::string project;
};

/// Opens a project and reads all that is in it; throws what that throws. The result is the same for
/// the same content.
std::string readEverything(const std::string& project, const Graph& graph);

}  // namespace quantscope::test
