#pragma once

#include <vector>

#include "engine/applied_quantization.h"
#include "engine/engine.h"

namespace quantscope {

/// By node: whether it is still needed once the constants of `applied` are in place and folded
/// nodes are gone. Whatever depends on the model's inputs is; a node that makes a constant only
/// where somebody reads it.
std::vector<bool> findNeededNodes(const Engine& engine, const AppliedQuantization& applied);

/// The constant that takes the place of the node's input; nullptr where none does.
const Tensor* placedConstant(const NodeQuantization& applied, std::size_t input);

}  // namespace quantscope
