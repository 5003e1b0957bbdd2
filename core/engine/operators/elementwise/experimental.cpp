// Operators that stood in ONNX as experiments and were never standardized; early style-transfer
// models use them. Their meaning is that of ONNX Runtime, which still runs them.

#include <array>
#include <vector>

#include "base/error.h"
#include "engine/operators/elementwise/binary_loops.h"
#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/unary_loops.h"
#include "engine/operators/strided_copy.h"

namespace quantscope {
namespace {

// y = alpha·x + beta
struct AffineMap {
  explicit AffineMap(const Node& node) : alpha(node.real("alpha", 1)), beta(node.real("beta", 0)) {}
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(alpha) * x + static_cast<T>(beta);
  }
  float alpha;
  float beta;
};

struct ScaledSum {
  float operator()(float x, float bias) const { return scale * x + bias; }
  float scale;
};

Tensor perChannel(const std::vector<float>& values) {
  const Shape shape{static_cast<std::int64_t>(values.size()), 1, 1};
  return Tensor::of(shape, std::span<const float>(values));
}

// y[n, c, h, w] = scale·x[n, c, h, w] + bias[c]
std::unique_ptr<Kernel> imageScaler(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [operation = ScaledSum{node.real("scale", 1)}, bias = perChannel(node.reals("bias"))](
          std::span<Tensor> inputs, std::span<Tensor> outputs) {
        std::array operands{std::move(requiredInput(inputs, 0)), bias};
        setOutput(outputs, 0, binaryBroadcast<float, float>(operands, operation));
      },
      Kernel::InputLayout::Any);
}

// The rows and columns that a Crop leaves: `border` is left, top, right, bottom; `scale`, if given,
// is the height and width of the result.
struct CropWindow {
  explicit CropWindow(const Node& node)
      : border(node.integers("border", {0, 0, 0, 0})), extent(node.integers("scale")) {
    if (border.size() != 4 || (!extent.empty() && extent.size() != 2)) {
      throw Error(ErrorCode::InvalidModel, "a Crop needs 4 borders and either 0 or 2 extents");
    }
  }

  // First and one past the last index along axis 2 (0) or 3 (1) of `available` ones.
  std::array<std::int64_t, 2> along(std::size_t axis, std::int64_t available) const {
    const auto requireInside = [available](std::int64_t value) {
      if (value >= 0 && value <= available) return;
      throw Error(
          ErrorCode::InvalidParameters,
          "a Crop by " + std::to_string(value) + " does not fit into " + std::to_string(available));
    };
    const std::int64_t first = border[1 - axis];
    requireInside(first);
    requireInside(extent.empty() ? border[3 - axis] : extent[axis]);
    const std::int64_t last = extent.empty() ? available - border[3 - axis] : first + extent[axis];
    requireInside(last - first);
    requireInside(last);
    return {first, last};
  }

  std::vector<std::int64_t> border;
  std::vector<std::int64_t> extent;
};

Tensor cropped(const Tensor& x, const CropWindow& window) {
  if (x.shape().rank() != 4) {
    throw Error(ErrorCode::InvalidParameters,
                "a Crop takes images of shape [N, C, H, W], not " + toString(x.shape()));
  }
  const auto rows = window.along(0, x.shape()[2]);
  const auto columns = window.along(1, x.shape()[3]);
  Shape start = Shape::filled(4, 0);
  start[2] = rows[0];
  start[3] = columns[0];
  Shape shape = x.shape();
  shape[2] = rows[1] - rows[0];
  shape[3] = columns[1] - columns[0];
  return copyOfBox(x, start, shape);
}

std::unique_ptr<Kernel> crop(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [window = CropWindow(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        setOutput(outputs, 0, cropped(requiredInput(inputs, 0), window));
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

void registerExperimental(OperatorRegistry& registry) {
  registry.add("Affine", {1}, unary<FloatTypes, AffineMap>);
  registry.add("ImageScaler", {1}, imageScaler);
  registry.add("Crop", {1}, crop);
}

}  // namespace quantscope
