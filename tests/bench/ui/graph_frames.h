#pragma once

#include "app/gui/window/main_window.h"
#include "bench/ui/frame_times.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope::bench {

/// How fast the graph of a model is there, and moves.
struct GraphFigures {
  std::size_t nodes = 0;
  double firstPaintMs = 0;     ///< from opening the file to the graph painted sharply
  double expandedPaintMs = 0;  ///< from expanding all scopes to that graph painted sharply
  FrameTimes frames;           ///< from an event to the repaint that it caused, all expanded
};

/// Opens `request` in the window, the graph made 1600 × 1000 large, and moves about in it by real
/// events of wheel and mouse.
GraphFigures measureGraph(MainWindow& window, const AnalysisRequest& request);

/// Waits for the graph of the window to be painted sharply, of another layout than before.
/// Throws Error where it does not come.
void waitForGraph(MainWindow& window, int layoutsBefore);

}  // namespace quantscope::bench
