#include "onnx/shape_inference.h"

#include "onnx/inference/walker.h"

namespace quantscope {

void inferShapes(Graph& graph) {
  inference::Walker(graph).walk();
}

}  // namespace quantscope
