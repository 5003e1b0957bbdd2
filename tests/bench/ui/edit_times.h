#pragma once

#include "app/gui/window/main_window.h"
#include "bench/ui/frame_times.h"

namespace quantscope::bench {

/// How soon a changed layer shows, in milliseconds from the edit to the views painted with it;
/// medians over some layers.
struct EditTimes {
  double ownError = 0;       ///< the layer's own error, in the inspector
  double ownErrorInAll = 0;  ///< the same, in all views that can be seen
  double firstOutputs = 0;   ///< the outputs of the first sample
  double all = 0;            ///< everything
  double longestFrame = 0;   ///< that the window was busy with itself meanwhile
  double undo = 0;           ///< undo and redo, to everything
  double swap = 0;           ///< A and B
};

/// Waits for the analysis that runs in `window`, and sets layers of it to float, one at a time.
EditTimes measureEdits(MainWindow& window);

}  // namespace quantscope::bench
