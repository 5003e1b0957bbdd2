#pragma once

#include <map>
#include <utility>

#include "compare/input_cone.h"
#include "engine/applied_quantization.h"
#include "engine/engine.h"

namespace quantscope {

/// Constants that take the place of a node's inputs.
using PlacedInputs = std::map<std::pair<NodeId, std::size_t>, Tensor>;

/// True where all nodes of the cone have a kernel, and they are few enough to be run by themselves.
bool isRunnable(const Engine& engine, const InputCone& cone);

/// Runs the nodes of a cone alone, under `applied` where that is not null, and returns `value`.
/// `given` holds the cone's inputs. Inside Workers::forEach. Throws Error with the node's name.
Tensor runCone(const Engine& engine, const InputCone& cone, ValueId value,
               const std::map<ValueId, Tensor>& given, const PlacedInputs& placed,
               const AppliedQuantization* applied, std::size_t batch);

}  // namespace quantscope
