#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/analysis_memory.h"
#include "jobs/analysis_snapshot.h"
#include "search/advice/next_change.h"
#include "search/advice/node_changes.h"

namespace quantscope {

/// The recommended changes to a configuration, judged as a whole.
struct Advice {
  Configuration config;
  std::vector<AdvisedChange> changes;  ///< those taken, in words: "Set /conv to FP16"
  std::vector<NodeChange> layers;      ///< what they change together, layer by layer
  std::optional<double> fromDb;        ///< SQNR of the worst output, on all samples
  std::optional<double> toDb;
  std::vector<OutputChange> outputs = {};  ///< all
  double bytes = 0;                        ///< of constants, more than before
  std::vector<std::string> notices = {};   ///< for the user: what the data are too few for
};

/// Takes the suggestions of the findings, wider types and float where they improve the outputs
/// together, within AdviceLimits; see selectForward(). `analysis` is complete. `aside`: ids of
/// findings that are not to be followed; the layers that they are about stay as they are. Throws
/// Cancelled.
Advice advise(const AnalysisSnapshot& analysis, AnalysisMemory& memory, JobContext& job,
              const std::set<std::string>& aside = {});

/// The one change that helps most, see findBestChange(); none where nothing does.
std::optional<NextChange> bestNextChange(const AnalysisSnapshot& analysis, AnalysisMemory& memory,
                                         JobContext& job, const std::set<std::string>& aside = {});

/// "6 changes: 7.2 → 14.9 dB, +3 % bytes"; each layer of a group counts. It also says where classes
/// are lost.
std::string adviceText(const Advice& advice, double bytesBefore);

}  // namespace quantscope
