#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

// The parts of the elementwise family, one per file.
void registerArithmetic(OperatorRegistry& registry);
void registerPowerAndRemainder(OperatorRegistry& registry);
void registerVariadic(OperatorRegistry& registry);
void registerRounding(OperatorRegistry& registry);
void registerExponentials(OperatorRegistry& registry);
void registerTrigonometry(OperatorRegistry& registry);
void registerActivations(OperatorRegistry& registry);
void registerPRelu(OperatorRegistry& registry);
void registerClip(OperatorRegistry& registry);
void registerComparisons(OperatorRegistry& registry);
void registerLogic(OperatorRegistry& registry);
void registerWhere(OperatorRegistry& registry);
void registerCast(OperatorRegistry& registry);
void registerPassThrough(OperatorRegistry& registry);
void registerExperimental(OperatorRegistry& registry);

}  // namespace quantscope
