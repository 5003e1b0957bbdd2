#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "graph/graph.h"
#include "project/kept_analysis.h"
#include "project/storage/database.h"

namespace quantscope {

/// The observations of each analysis that a project holds: they are written once for all analyses
/// with them, and read once.
struct HeldObservations {
  struct Of {
    std::shared_ptr<const Observations> observations;
    std::string id;  ///< of their bytes; the table of analyses names it as well
  };
  std::array<Of, kAnalysisSlots.size()> of;
};

/// Writes an analysis in the place of the one before.
void writeAnalysis(Database& database, AnalysisSlot slot, const KeptAnalysis& analysis,
                   const Graph& graph, HeldObservations& held);
void eraseAnalysis(Database& database, AnalysisSlot slot, HeldObservations& held);
/// Nothing where there is none, or one of another version.
std::optional<AnalysisOutline> readOutline(Database& database, AnalysisSlot slot);
/// The whole; throws InvalidData where it is damaged or of another model.
std::optional<KeptAnalysis> readAnalysis(Database& database, AnalysisSlot slot, const Graph& graph,
                                         HeldObservations& held);

}  // namespace quantscope
