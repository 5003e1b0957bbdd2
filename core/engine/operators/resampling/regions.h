#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

/// All of them.
void registerRegions(OperatorRegistry& registry);

// What detectors do with boxes and regions of an image, one operator per file.
void registerNonMaxSuppression(OperatorRegistry& registry);
void registerRoiAlign(OperatorRegistry& registry);
void registerMaxRoiPool(OperatorRegistry& registry);

}  // namespace quantscope
