#pragma once

#include <map>

#include "graph/graph.h"

namespace quantscope {

/// A model to be written.
struct ModelDraft {
  Graph graph;
  /// Constants whose elements are codes of a type that Tensor lacks, with ONNX's number of it: int4
  /// in int8, uint4 in uint8, the bits of FP8 in uint8.
  std::map<ValueId, int> storedTypes;
};

}  // namespace quantscope
