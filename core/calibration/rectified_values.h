#pragma once

#include <vector>

#include "graph/channel_axis.h"

namespace quantscope {

/// By value: x if the value is max(x, 0) of it, in the main graph and with channels along the same
/// axis, so that some statistics of it follow from those of x; else invalid. `axes`: of all
/// values.
std::vector<ValueId> findRectifiedValues(const Graph& graph, const std::vector<ChannelAxis>& axes);

}  // namespace quantscope
