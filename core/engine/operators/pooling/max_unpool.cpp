#include <algorithm>
#include <string>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/pooling/pooling.h"
#include "engine/operators/window.h"

namespace quantscope {
namespace {

// The extent before pooling: stride · (n − 1) + kernel − pads.
Shape unpooledShape(const Shape& pooled, const WindowAttributes& attributes,
                    std::span<const std::int64_t> pads) {
  Shape shape{pooled[0], pooled[1]};
  const std::size_t axes = pooled.rank() - 2;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t padding = pads.empty() ? 0 : pads[i] + pads[axes + i];
    shape.append(attributes.stride(i) * (pooled[i + 2] - 1) + attributes.kernel()[i] - padding);
  }
  return shape;
}

Shape requestedShape(const Tensor& outputShape) {
  const std::vector<std::int64_t> extents = toIntegers(outputShape);
  return Shape(std::span<const std::int64_t>(extents));
}

void requireShapes(const Tensor& x, const Tensor& indices, const WindowAttributes& attributes) {
  attributes.requireRank(x.shape(), attributes.kernel());
  if (x.shape() == indices.shape()) return;
  throw Error(ErrorCode::InvalidParameters, "an input of shape " + toString(x.shape()) +
                                                " does not fit indices of shape " +
                                                toString(indices.shape()));
}

// The indices count in the tensor before pooling, also where the result is larger: then each
// image keeps its upper left corner.
void scatter(const Tensor& x, const Tensor& indices, const Shape& before, Tensor& y) {
  const std::span<const float> values = x.values<float>();
  const std::span<const std::int64_t> places = indices.values<std::int64_t>();
  const std::span<float> target = y.mutableValues<float>();
  const Shape strides = rowMajorStrides(y.shape());
  const std::int64_t count = before.elementCount();
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t rest = places[i];
    if (rest < 0 || rest >= count) {
      throw Error(
          ErrorCode::InvalidData,
          "index " + std::to_string(rest) + " lies outside a tensor of shape " + toString(before));
    }
    std::int64_t place = 0;
    for (std::size_t axis = before.rank(); axis-- > 0;) {
      place += rest % before[axis] * strides[axis];
      rest /= before[axis];
    }
    target[static_cast<std::size_t>(place)] = values[i];
  }
}

}  // namespace

std::unique_ptr<Kernel> makeMaxUnpool(const Node& node, const Graph& /*graph*/) {
  const WindowAttributes attributes(node);
  const std::vector<std::int64_t> pads = node.integers("pads");
  const auto run = [attributes, pads](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor& x = requiredInput(inputs, 0);
    const Tensor& indices = requiredInput(inputs, 1);
    requireShapes(x, indices, attributes);
    const Shape before = unpooledShape(x.shape(), attributes, pads);
    const Tensor* requested = optionalInput(inputs, 2);
    const Shape after = requested != nullptr ? requestedShape(*requested) : before;
    bool fits = after.rank() == before.rank();
    for (std::size_t i = 0; fits && i < after.rank(); ++i) fits = after[i] >= before[i];
    if (!fits) {
      throw Error(ErrorCode::InvalidParameters, "an output of shape " + toString(after) +
                                                    " cannot hold what pooling took from " +
                                                    toString(before));
    }
    Tensor y = Tensor::zeros(ElementType::Float32, after);
    scatter(x, indices, before, y);
    setOutput(outputs, 0, std::move(y));
  };
  return makeKernel(run);
}

}  // namespace quantscope
