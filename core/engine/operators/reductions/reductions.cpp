#include "engine/operators/reductions/reductions.h"

namespace quantscope {

void registerReductions(OperatorRegistry& registry) {
  registerReduce(registry);
  registerArgReduce(registry);
  registerCumSum(registry);
  registerTopK(registry);
}

}  // namespace quantscope
