#pragma once

#include "graph/graph.h"

namespace quantscope::test {

/// Lays out a finished graph as converters of channels-last models do: what works element by
/// element on [N, C, H, W] works on [N, H, W, C], between Transposes around all other operators.
/// Values keep their names; what an operator then makes in front of a Transpose is named NAME_nchw.
/// Returns the number of values that lie otherwise now.
std::size_t layOutChannelsLast(Graph& graph);

}  // namespace quantscope::test
