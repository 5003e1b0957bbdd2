#pragma once

#include <optional>

#include "app/gui/window/main_window.h"
#include "bench/ui/frame_times.h"

namespace quantscope::bench {

/// How a dragged end of a range is followed, in milliseconds.
struct DragTimes {
  FrameTimes frames;  ///< from a move to clipping and the layer's own error painted
  /// From the last move to what the outputs gain: the median. Nothing where that took over 10 s.
  std::optional<double> outputs;
};

/// Waits for the analysis that runs in `window`, and drags an end of the range of some layers with
/// the mouse, at the pace of a screen. Undoes what it did. Nothing where no range of the network
/// can be dragged.
std::optional<DragTimes> measureDrags(MainWindow& window);

}  // namespace quantscope::bench
