#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

// The parts of the indexing family, one per file.
void registerGather(OperatorRegistry& registry);
void registerGatherElements(OperatorRegistry& registry);
void registerGatherNd(OperatorRegistry& registry);
void registerOneHot(OperatorRegistry& registry);
void registerNonZero(OperatorRegistry& registry);
void registerUnique(OperatorRegistry& registry);

}  // namespace quantscope
