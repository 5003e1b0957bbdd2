#pragma once

#include <span>

#include "graph/graph.h"

namespace quantscope {

/// The share of all cost that is at `start` and at the nodes behind it, 0 … 1: what a change there
/// makes run again. `costs`: by node; where they are all 0, each node costs the same.
double shareBehind(const Graph& graph, NodeId start, std::span<const double> costs);

}  // namespace quantscope
