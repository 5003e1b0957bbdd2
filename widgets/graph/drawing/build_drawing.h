#pragma once

#include <QFont>

#include "jobs/analysis_snapshot.h"
#include "widgets/graph/drawing/drawing_options.h"
#include "widgets/graph/drawing/graph_drawing.h"

namespace quantscope {

/// Lays the graph of a snapshot out. Takes up to seconds for large graphs: not for the window's
/// thread. Boxes are as wide as their texts in `font`, which takes its family from the application
/// where none is given.
GraphDrawing buildDrawing(const AnalysisSnapshot& snapshot, const DrawingOptions& options,
                          const QFont& font = {});

}  // namespace quantscope
