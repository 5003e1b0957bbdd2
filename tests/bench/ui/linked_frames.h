#pragma once

#include "bench/ui/frame_times.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope::bench {

/// How fast two linked graphs of 800 × 1000 move, both of the model of `snapshot` with all scopes
/// expanded: from an event in the first to the repaint of the two.
FrameTimes measureLinkedGraphs(const SnapshotPtr& snapshot);

}  // namespace quantscope::bench
