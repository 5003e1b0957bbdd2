#include "export/qdq/grid_tensors.h"

#include <algorithm>
#include <type_traits>

namespace quantscope {
namespace {

Shape gridShape(const QuantParams& params, const Shape& shape) {
  if (params.grids.size() == 1) return {};
  if (params.groupSize == 0) return {static_cast<std::int64_t>(params.grids.size())};
  Shape blocks = shape;
  std::int64_t& extent = blocks[normalizeAxis(params.axis, shape.rank())];
  extent = (extent + params.groupSize - 1) / params.groupSize;
  return blocks;
}

template <class Function>
void fillCodes(Tensor& codes, const Function& codeOf) {
  visitElementType(codes.type(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const std::span<T> target = codes.mutableValues<T>();
      for (std::size_t i = 0; i < target.size(); ++i) target[i] = static_cast<T>(codeOf(i));
    }
  });
}

}  // namespace

GridTensors gridTensors(const QuantParams& params, const CodeType& code, const Shape& shape) {
  const Shape grids = gridShape(params, shape);
  GridTensors tensors{Tensor(ElementType::Float32, grids), Tensor(code.carrier, grids)};
  std::ranges::transform(params.grids, tensors.scale.mutableValues<float>().begin(), &Grid::scale);
  fillCodes(tensors.zeroPoint,
            [&](std::size_t i) { return isInteger(params.type) ? params.grids[i].zeroPoint : 0; });
  return tensors;
}

Tensor codeScalar(std::int32_t code, ElementType carrier) {
  Tensor scalar(carrier, Shape{});
  fillCodes(scalar, [&](std::size_t) { return code; });
  return scalar;
}

}  // namespace quantscope
