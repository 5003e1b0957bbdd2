#include "engine/operators/elementwise/elementwise.h"

namespace quantscope {

void registerElementwise(OperatorRegistry& registry) {
  registerArithmetic(registry);
  registerPowerAndRemainder(registry);
  registerVariadic(registry);
  registerRounding(registry);
  registerExponentials(registry);
  registerTrigonometry(registry);
  registerActivations(registry);
  registerPRelu(registry);
  registerClip(registry);
  registerComparisons(registry);
  registerLogic(registry);
  registerWhere(registry);
  registerCast(registry);
  registerPassThrough(registry);
  registerExperimental(registry);
}

}  // namespace quantscope
