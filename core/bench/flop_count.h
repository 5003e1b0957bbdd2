#pragma once

#include <vector>

#include "calibration/sample_source.h"
#include "engine/engine.h"

namespace quantscope {

class Workers;

/// Floating-point operations of one run: two for each multiplication and addition of the
/// convolutions, matrix products and recurrences as they are defined, with the shapes that the feed
/// gives; nothing else counts. Kernels may take fewer: Winograd's of 3 × 3 filters do.
std::vector<double> flopsByNode(const Engine& engine, const Feed& feed, const Workers& workers);

/// 10⁹ operations per second, as above, on vectors in registers, with all workers at once: what
/// products come near to while the clock stays the same.
double measurePeakGflopPerSecond(const Workers& workers);

}  // namespace quantscope
