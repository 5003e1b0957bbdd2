#pragma once

#include <set>
#include <string>

#include "jobs/analysis_snapshot.h"
#include "widgets/graph/graph_drawing.h"

namespace quantscope {

/// What the user has chosen about the drawing.
struct DrawingOptions {
  std::set<std::string> collapsed;  ///< scopes that are drawn as cards
  bool leftToRight = false;
  bool constants = false;  ///< constants and weights get boxes of their own

  friend bool operator==(const DrawingOptions&, const DrawingOptions&) = default;
};

/// Lays the graph of a snapshot out. Takes up to seconds for large graphs: not for the window's
/// thread.
GraphDrawing buildDrawing(const AnalysisSnapshot& snapshot, const DrawingOptions& options);

}  // namespace quantscope
