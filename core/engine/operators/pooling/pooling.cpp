#include "engine/operators/pooling/pooling.h"

#include "engine/operator_registry.h"

namespace quantscope {

void registerPooling(OperatorRegistry& registry) {
  registry.add("MaxPool", {1, 8, 10, 11, 12, 22}, makeMaxPool);
  registry.add("AveragePool", {1, 7, 10, 11, 19, 22}, makeAveragePool);
  registry.add("LpPool", {1, 2, 11, 18, 22}, makeLpPool);
  registry.add("GlobalMaxPool", {1, 22}, makeGlobalMaxPool);
  registry.add("GlobalAveragePool", {1, 22}, makeGlobalAveragePool);
  registry.add("GlobalLpPool", {1, 2, 22}, makeGlobalLpPool);
  registry.add("MaxUnpool", {9, 11, 22}, makeMaxUnpool);
}

}  // namespace quantscope
