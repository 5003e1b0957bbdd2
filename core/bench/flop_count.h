#pragma once

#include <vector>

#include "calibration/sample_source.h"
#include "engine/engine.h"

namespace quantscope {

class Workers;

/// Floating-point operations of one run: two for each multiplication and addition of the
/// convolutions, matrix products and recurrences, with the shapes that the feed gives; nothing else
/// counts.
std::vector<double> flopsByNode(const Engine& engine, const Feed& feed, const Workers& workers);

/// How many operations the machine does in registers, with all workers at once: what no product can
/// exceed.
double measurePeakGflopPerSecond(const Workers& workers);

}  // namespace quantscope
