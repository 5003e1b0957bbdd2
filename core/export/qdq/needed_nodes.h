#pragma once

#include <vector>

#include "engine/applied_quantization.h"
#include "engine/engine.h"

namespace quantscope {

/// By node: true if it is still needed once the constants of `applied` are in place and folded
/// nodes are gone. Nodes that depend on model inputs are needed; nodes that make constants only if
/// they are read.
std::vector<bool> findNeededNodes(const Engine& engine, const AppliedQuantization& applied);

/// The constant that takes the place of the node's input; nullptr where none does.
const Tensor* placedConstant(const NodeQuantization& applied, std::size_t input);

}  // namespace quantscope
