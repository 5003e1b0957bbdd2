#include "engine/operators/resampling/resampling.h"

#include "engine/operator_registry.h"

namespace quantscope {

void registerResampling(OperatorRegistry& registry) {
  registry.add("Upsample", {1, 7, 9}, makeResize);
  registry.add("Resize", {10, 11, 13, 18, 19}, makeResize);
  registry.add("GridSample", {16, 20, 22}, makeGridSample);
  registry.add("AffineGrid", {20}, makeAffineGrid);
  registry.add("CenterCropPad", {18}, makeCenterCropPad);
}

}  // namespace quantscope
