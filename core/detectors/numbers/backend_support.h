#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Settings of the configuration that the backend cannot run.
///
/// Precision (precision/backend/backend_check.h). Statistic: how many of the node's tensors
/// (weights, activations, outputs) the backend cannot have as asked; threshold 0. A warning; for
/// information where the node is simulated in float, as it will run. The suggestion is the nearest
/// that the backend can do.
///
/// Fusion: a layer and its only reader that the backend runs as one, kept apart because the reader
/// has an entry of its own. Statistic: the values that are rounded although they need not be;
/// threshold 0. For information.
std::vector<Finding> findUnsupported(const DetectorInput& input);

}  // namespace quantscope
