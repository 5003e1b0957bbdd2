#include "engine/operators/indexing/indexing.h"

namespace quantscope {

void registerIndexing(OperatorRegistry& registry) {
  registerGather(registry);
  registerGatherElements(registry);
  registerGatherNd(registry);
  registerOneHot(registry);
  registerNonZero(registry);
  registerUnique(registry);
}

}  // namespace quantscope
