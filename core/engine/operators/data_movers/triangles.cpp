#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.h"
#include "engine/operators/convert.h"
#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/data_types.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

// Keeps the elements on or above (below) the diagonal that starts at column `diagonal`; the rest is
// 0.
Tensor triangle(const Tensor& x, std::int64_t diagonal, bool upper) {
  const Shape& shape = x.shape();
  if (shape.rank() < 2) {
    throw Error(ErrorCode::InvalidParameters,
                "a triangle needs matrices but found the shape " + toString(shape));
  }
  Tensor result(x.type(), shape);
  if (x.elementCount() == 0) return result;
  const std::int64_t rows = shape[shape.rank() - 2];
  const std::int64_t columns = shape.back();
  const std::size_t bytes = byteSize(x.type());
  const std::size_t rowBytes = bytes * static_cast<std::size_t>(columns);
  // Beyond the corners nothing changes, and row + diagonal cannot overflow.
  diagonal = std::clamp(diagonal, -rows, columns);
  const std::size_t allRows = x.elementCount() / static_cast<std::size_t>(columns);
  for (std::size_t i = 0; i < allRows; ++i) {
    const auto row = static_cast<std::int64_t>(i) % rows;
    const std::int64_t border = row + diagonal + (upper ? 0 : 1);
    const std::size_t left =
        bytes * static_cast<std::size_t>(std::clamp<std::int64_t>(border, 0, columns));
    const std::byte* from = x.bytes() + i * rowBytes;
    std::byte* to = result.mutableBytes() + i * rowBytes;
    std::memcpy(to, from, rowBytes);
    if (upper) {
      std::memset(to, 0, left);
    } else {
      std::memset(to + left, 0, rowBytes - left);
    }
  }
  return result;
}

std::unique_ptr<Kernel> trilu(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [upper = node.integer("upper", 1) != 0](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Tensor* diagonal = optionalInput(inputs, 1);
        setOutput(outputs, 0, triangle(x, diagonal ? onlyInteger(*diagonal) : 0, upper));
      },
      Kernel::InputLayout::Plain, true);
}

template <class T>
void setDiagonal(Tensor& matrix, std::int64_t diagonal) {
  const std::span<T> values = matrix.mutableValues<T>();
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  const std::int64_t first = std::max<std::int64_t>(0, -diagonal);
  for (std::int64_t row = first; row < rows && row + diagonal < columns; ++row) {
    values[static_cast<std::size_t>(row * columns + row + diagonal)] = converted<T>(1.0F);
  }
}

Tensor eye(const Shape& shape, ElementType type, std::int64_t diagonal) {
  if (shape.rank() != 2) {
    throw Error(ErrorCode::InvalidParameters,
                "an identity matrix cannot have the shape " + toString(shape));
  }
  Tensor result = Tensor::zeros(type, shape);
  const std::int64_t inside = std::clamp(diagonal, -shape[0], shape[1]);
  visitElementType(type, [&]<class T>() { setDiagonal<T>(result, inside); });
  return result;
}

std::unique_ptr<Kernel> eyeLike(const Node& node, const Graph& /*graph*/) {
  std::optional<ElementType> type;
  if (node.has("dtype")) type = elementTypeOfNumber(node.integer("dtype", 0));
  return makeKernel(
      [type, diagonal = node.integer("k", 0)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        setOutput(outputs, 0, eye(x.shape(), type.value_or(x.type()), diagonal));
      },
      Kernel::InputLayout::Plain, true);
}

}  // namespace

void registerTriangles(OperatorRegistry& registry) {
  registry.add("Trilu", {14}, trilu);
  registry.add("EyeLike", {9, 22}, eyeLike);
}

}  // namespace quantscope
