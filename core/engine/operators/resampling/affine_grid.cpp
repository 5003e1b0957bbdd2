#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/resampling/resampling.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

// The places of `extent` elements between −1 and 1: of their middles, or from the first to the
// last.
double place(std::int64_t index, std::int64_t extent, bool alignCorners) {
  if (!alignCorners) {
    return static_cast<double>(2 * index + 1) / static_cast<double>(extent) - 1;
  }
  return extent == 1 ? -1 : 2 * static_cast<double>(index) / static_cast<double>(extent - 1) - 1;
}

// theta [N, axes, axes + 1], extents of the axes → [N, extents, axes], innermost axis first
template <class T>
Tensor grid(const Tensor& theta, const Shape& extents, bool alignCorners) {
  const std::size_t axes = extents.rank();
  Shape shape{theta.shape()[0]};
  for (const std::int64_t extent : extents) shape.append(extent);
  shape.append(static_cast<std::int64_t>(axes));
  Tensor result(theta.type(), shape);
  const Shape strides = rowMajorStrides(extents);
  T* to = result.mutableValues<T>().data();
  std::vector<double> places(axes + 1, 1);
  for (std::int64_t n = 0; n < shape[0]; ++n) {
    const T* matrix = theta.values<T>().data() + static_cast<std::size_t>(n) * axes * (axes + 1);
    for (std::int64_t i = 0; i < extents.elementCount(); ++i) {
      for (std::size_t axis = 0; axis < axes; ++axis) {
        places[axes - 1 - axis] =
            place(i / strides[axis] % extents[axis], extents[axis], alignCorners);
      }
      for (std::size_t row = 0; row < axes; ++row) {
        double sum = 0;
        for (std::size_t k = 0; k <= axes; ++k) {
          sum += static_cast<double>(matrix[row * (axes + 1) + k]) * places[k];
        }
        *to++ = static_cast<T>(sum);
      }
    }
  }
  return result;
}

}  // namespace

std::unique_ptr<Kernel> makeAffineGrid(const Node& node, const Graph& /*graph*/) {
  return makeKernel([alignCorners = node.integer("align_corners", 0) != 0](
                        std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor& theta = requiredInput(inputs, 0);
    const std::vector<std::int64_t> size = toIntegers(requiredInput(inputs, 1));
    const auto axes = static_cast<std::int64_t>(size.size()) - 2;
    if ((axes != 2 && axes != 3) || theta.shape() != Shape{size[0], axes, axes + 1}) {
      throw Error(ErrorCode::InvalidParameters,
                  "transformations of shape " + toString(theta.shape()) + " do not fit a size of " +
                      std::to_string(size.size()) + " extents");
    }
    const Shape extents{std::span<const std::int64_t>(size).subspan(2)};
    visitTypes(FloatTypes{}, theta.type(),
               [&]<class T>() { setOutput(outputs, 0, grid<T>(theta, extents, alignCorners)); });
  });
}

}  // namespace quantscope
