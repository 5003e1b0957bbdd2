#pragma once

#include <span>
#include <vector>

#include "engine/engine.h"

namespace quantscope {

/// The nodes that follow a value one after the other, each its only reader, up to the last one that
/// is not linear in its input or is one of `changed`: a gradient does not describe how an error at
/// the value passes them, and they cost little to run. Ends before products and recurrences, and
/// where a value is an output or has several readers; nodes that read only its shape do not count.
/// Empty if there is no such node.
std::vector<NodeId> bentPathBehind(const Engine& engine, ValueId value,
                                   std::span<const NodeId> changed);

}  // namespace quantscope
