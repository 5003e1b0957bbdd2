#pragma once

#include <map>

#include "graph/graph.h"

namespace quantscope {

/// ONNX's numbers of the element types that files have and Tensor does not.
constexpr int kOnnxFloat8E4M3 = 17;
constexpr int kOnnxFloat8E5M2 = 19;

/// A model to be written.
struct ModelDraft {
  Graph graph;
  /// Constants whose elements are codes of a type that Tensor lacks, with ONNX's number of it: int4
  /// in int8, uint4 in uint8, the bits of FP8 in uint8.
  std::map<ValueId, int> storedTypes;
};

}  // namespace quantscope
