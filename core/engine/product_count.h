#pragma once

#include <span>

#include "engine/execution.h"

namespace quantscope {

/// Runs the next step of an execution that runs every node by itself, and adds the
/// multiply-accumulates of its node to `products`, which has an entry per node of the graph:
/// those of convolutions, matrix products and recurrences, with the shapes that the run gives.
/// Returns what Execution::step() does.
NodeId stepCountingProducts(const Graph& graph, Execution& execution, std::span<double> products);

}  // namespace quantscope
