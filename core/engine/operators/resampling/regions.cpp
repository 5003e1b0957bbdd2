#include "engine/operators/resampling/regions.h"

namespace quantscope {

void registerRegions(OperatorRegistry& registry) {
  registerNonMaxSuppression(registry);
  registerRoiAlign(registry);
  registerMaxRoiPool(registry);
}

}  // namespace quantscope
