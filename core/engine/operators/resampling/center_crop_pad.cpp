#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/resampling/resampling.h"

namespace quantscope {
namespace {

// [outer, extent, bytes] → [outer, wanted, bytes], what both have in the middle.
Tensor resized(const Tensor& x, std::size_t axis, std::int64_t wanted) {
  Shape shape = x.shape();
  const std::int64_t extent = shape[axis];
  shape[axis] = wanted;
  Tensor y = Tensor::zeros(x.type(), shape);
  const auto outer = static_cast<std::size_t>(shape.elementCount(0, axis));
  const std::size_t bytes =
      static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank())) * byteSize(x.type());
  const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(extent - wanted, 0) / 2);
  const auto padded = static_cast<std::size_t>(std::max<std::int64_t>(wanted - extent, 0) / 2);
  const std::size_t run = static_cast<std::size_t>(std::min(extent, wanted)) * bytes;
  for (std::size_t i = 0; i < outer && run > 0; ++i) {
    const std::size_t from = (i * static_cast<std::size_t>(extent) + skipped) * bytes;
    const std::size_t to = (i * static_cast<std::size_t>(wanted) + padded) * bytes;
    std::memcpy(y.mutableBytes() + to, x.bytes() + from, run);
  }
  return y;
}

}  // namespace

std::unique_ptr<Kernel> makeCenterCropPad(const Node& node, const Graph& /*graph*/) {
  const bool allAxes = !node.has("axes");
  return makeKernel(
      [allAxes, axes = node.integers("axes")](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        Tensor y = requiredInput(inputs, 0);
        const std::vector<std::int64_t> wanted = toIntegers(requiredInput(inputs, 1));
        if (wanted.size() != (allAxes ? y.shape().rank() : axes.size())) {
          throw Error(ErrorCode::InvalidParameters,
                      std::to_string(wanted.size()) + " extents do not fit the axes to crop");
        }
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          if (wanted[i] < 0) {
            throw Error(ErrorCode::InvalidParameters,
                        "an axis cannot have the extent " + std::to_string(wanted[i]));
          }
          y = resized(y, allAxes ? i : normalizeAxis(axes[i], y.shape().rank()), wanted[i]);
        }
        setOutput(outputs, 0, std::move(y));
      },
      Kernel::InputLayout::Plain, true);
}

}  // namespace quantscope
