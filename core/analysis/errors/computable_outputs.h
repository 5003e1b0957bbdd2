#pragma once

#include <vector>

#include "engine/engine.h"

namespace quantscope {

/// Throws UnsupportedOperation, which names the first operator that is not executable, where no
/// output of the network can be computed: then nothing tells one configuration from another.
void requireComputableOutput(const Engine& engine);

/// The network's outputs that hold real numbers, in order, each once.
std::vector<ValueId> realOutputs(const Graph& graph);
/// The first of them; none where there is none.
ValueId firstRealOutput(const Graph& graph);

/// Throws UnsupportedOperation where all outputs are integers, which are not compared.
void requireRealOutput(const Graph& graph);

}  // namespace quantscope
