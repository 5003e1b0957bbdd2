#include "engine/operators/resampling.h"

#include "engine/operator_registry.h"

namespace quantscope {

void registerResampling(OperatorRegistry& registry) {
  registry.add("Upsample", {7, 9}, makeResize);
  registry.add("Resize", {10, 11, 13, 18, 19}, makeResize);
  registry.add("GridSample", {16, 20, 22}, makeGridSample);
}

}  // namespace quantscope
