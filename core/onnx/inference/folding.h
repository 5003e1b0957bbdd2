#pragma once

#include "onnx/inference/context.h"

namespace quantscope::inference {

/// Computes the elements of output 0 of an elementwise operator from those of its inputs, as far
/// as they are known, where it is one that shape arithmetic uses. Its type must be set already.
void foldElementwise(Context& context);

/// A view of row-major elements: where it begins, and the step along each axis of its shape.
struct StridedView {
  std::int64_t offset = 0;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
};

/// The view that shows all elements of a tensor; none where its shape is not known or holds more
/// than kMaxElements.
std::optional<StridedView> viewOf(const Dimensions* shape);
/// The elements that the view shows, in its own row-major order; none for more than kMaxElements.
std::optional<Elements> elementsIn(const StridedView& view, const Elements& elements);

}  // namespace quantscope::inference
