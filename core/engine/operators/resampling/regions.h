#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

/// All of them.
void registerRegions(OperatorRegistry& registry);

// Operators on boxes and regions of an image, as detectors use them; one operator per file.
void registerNonMaxSuppression(OperatorRegistry& registry);
void registerRoiAlign(OperatorRegistry& registry);
void registerMaxRoiPool(OperatorRegistry& registry);

}  // namespace quantscope
