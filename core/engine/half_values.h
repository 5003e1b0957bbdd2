#pragma once

#include "engine/fusion/element_program.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

// Values of a half type flow through a run as float32 numbers that are exact in that type: rounding
// in place costs less than to narrow after one node and to widen before the next.

/// float16 and bfloat16.
inline bool isHalf(ElementType type) {
  return type == ElementType::Float16 || type == ElementType::BFloat16;
}

/// x rounded to `half`, a half type, as fromFloat32 does, but as float32.
const ElementMap& roundingTo(ElementType half);

/// True for operators that take half types as they are but would move wider elements alike.
bool movesHalfTypes(const Node& node);

}  // namespace quantscope
