#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

// The parts of the family of reductions, one per file.
void registerReduce(OperatorRegistry& registry);
void registerArgReduce(OperatorRegistry& registry);
void registerCumSum(OperatorRegistry& registry);
void registerTopK(OperatorRegistry& registry);

}  // namespace quantscope
