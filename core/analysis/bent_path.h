#pragma once

#include <span>
#include <vector>

#include "engine/engine.h"

namespace quantscope {

/// The nodes that follow a value one after the other, each its only reader, up to the last one that
/// is not linear in what comes or is one of `changed`: an error at the value passes them otherwise
/// than a gradient says, and they cost little to run. Ends before products and recurrences, and
/// where a value is an output or has several readers; who reads its shape alone does not count.
/// Empty where there is no such node.
std::vector<NodeId> bentPathBehind(const Engine& engine, ValueId value,
                                   std::span<const NodeId> changed);

}  // namespace quantscope
