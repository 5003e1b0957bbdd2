#pragma once

#include "engine/engine.h"

namespace quantscope {

/// Throws UnsupportedOperation, which names the first operator that is not executable, where no
/// output of the network can be computed, or where all are integers: then nothing tells one
/// configuration from another.
void requireComputableOutput(const Engine& engine);

}  // namespace quantscope
