#pragma once

#include "graph/graph.h"

namespace quantscope {

/// Throws InvalidModel, naming the node, where a known operator lacks an input that all of its
/// versions need, or has no output at all: nothing that looks at its inputs later has to ask again.
/// Operators that are not known may have any, unless they are called like one that is.
void requireOperands(const Node& node);

}  // namespace quantscope
