#pragma once

#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// The same snapshot, which another thread frees when nobody holds it any more: freeing thousands
/// of layers takes longer than a frame.
SnapshotPtr freedInBackground(SnapshotPtr snapshot);

}  // namespace quantscope
