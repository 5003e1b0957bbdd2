#pragma once

#include "app/gui/window/main_window.h"
#include "bench/ui/frame_times.h"

namespace quantscope::bench {

/// How long the window is busy with itself at a time while `request` is analysed from anew: a key
/// or click that comes meanwhile waits so long at most. New results shown, progress and repainting
/// are in it.
FrameTimes measureInputLatency(MainWindow& window, const AnalysisRequest& request);

}  // namespace quantscope::bench
