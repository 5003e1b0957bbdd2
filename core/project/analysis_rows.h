#pragma once

#include <memory>
#include <optional>
#include <string>

#include "graph/graph.h"
#include "project/kept_analysis.h"
#include "project/storage/database.h"

namespace quantscope {

/// Observations that a project holds, so that they are written once for many analyses with them.
struct HeldObservations {
  std::shared_ptr<const Observations> observations;
  std::string id;  ///< of their bytes; the table of analyses names it as well
};

/// Writes an analysis in the place of the one before.
void writeAnalysis(Database& database, const KeptAnalysis& analysis, const Graph& graph,
                   HeldObservations& held);
/// Nothing where there is none, or one of another version.
std::optional<AnalysisOutline> readOutline(Database& database);
/// The whole; throws InvalidData where it is damaged or of another model.
std::optional<KeptAnalysis> readAnalysis(Database& database, const Graph& graph,
                                         HeldObservations& held);

}  // namespace quantscope
