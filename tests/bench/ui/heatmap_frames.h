#pragma once

#include "bench/ui/frame_times.h"

namespace quantscope::bench {

/// Scrolls a generated heatmap of 5,000 rows and 512 channels at 1600 × 1000, from rows of half a
/// pixel to cells with their numbers: what moving a scroll bar and painting takes.
FrameTimes measureHeatmap();

}  // namespace quantscope::bench
