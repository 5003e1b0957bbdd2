#include "engine/operators/normalization/normalization.h"

#include "engine/operator_registry.h"

namespace quantscope {

void registerNormalization(OperatorRegistry& registry) {
  registry.add("BatchNormalization", {1, 6, 7, 9, 14, 15}, makeBatchNormalization);
  registry.add("InstanceNormalization", {1, 6, 22}, makeInstanceNormalization);
  registry.add("GroupNormalization", {18, 21}, makeGroupNormalization);
  registry.add("LayerNormalization", {17}, makeLayerNormalization);
  registry.add("MeanVarianceNormalization", {9, 13}, makeMeanVarianceNormalization);
  registry.add("LpNormalization", {1, 22}, makeLpNormalization);
  registry.add("LRN", {1, 13}, makeLocalResponseNormalization);
  registry.add("Softmax", {1, 11, 13}, makeSoftmax);
  registry.add("LogSoftmax", {1, 11, 13}, makeLogSoftmax);
  registry.add("Hardmax", {1, 11, 13}, makeHardmax);
}

}  // namespace quantscope
