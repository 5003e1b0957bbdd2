#include "engine/operators/quantized/quantization_grid.h"

#include <string>
#include <type_traits>

#include "base/error.h"

namespace quantscope {
namespace {

[[noreturn]] void throwMismatch(const Shape& shape, const Tensor& scale, std::int64_t axis) {
  throw Error(ErrorCode::InvalidParameters, "a scale of shape " + toString(scale.shape()) +
                                                " does not fit axis " + std::to_string(axis) +
                                                " of a tensor of shape " + toString(shape));
}

// The shape of one scale per block.
Shape blockedShape(const Shape& shape, std::size_t axis, std::int64_t blockSize) {
  Shape blocked = shape;
  blocked[axis] = shape[axis] / blockSize + (shape[axis] % blockSize != 0 ? 1 : 0);
  return blocked;
}

}  // namespace

std::vector<std::int32_t> zeroPointValues(const Tensor& zeroPoint) {
  std::vector<std::int32_t> values(zeroPoint.elementCount());
  visitElementType(zeroPoint.type(), [&]<class T>() {
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) {
      const std::span<const T> codes = zeroPoint.values<T>();
      for (std::size_t i = 0; i < codes.size(); ++i) {
        values[i] = static_cast<std::int32_t>(codes[i]);
      }
    } else {
      throw Error(
          ErrorCode::UnsupportedType,
          "a zero point of type " + std::string(name(zeroPoint.type())) + " is not supported");
    }
  });
  return values;
}

QuantizationGrid::QuantizationGrid(const Shape& shape, const Tensor& scale, const Tensor& zeroPoint,
                                   std::int64_t axis, std::int64_t blockSize)
    : m_scales(scale.values<float>()),
      m_count(static_cast<std::size_t>(shape.elementCount())),
      m_run(m_count) {
  m_zeroPoints = zeroPoint.defined() ? zeroPointValues(zeroPoint)
                                     : std::vector<std::int32_t>(m_scales.size(), 0);
  if (m_zeroPoints.size() != m_scales.size()) {
    throw Error(ErrorCode::InvalidParameters,
                "a zero point of shape " + toString(zeroPoint.shape()) +
                    " does not fit a scale of shape " + toString(scale.shape()));
  }
  if (m_scales.size() == 1) return;
  const std::size_t place = normalizeAxis(axis, shape.rank());
  m_extent = static_cast<std::size_t>(shape[place]);
  const auto inner = static_cast<std::size_t>(shape.elementCount(place + 1, shape.rank()));
  if (blockSize > 0) {
    if (scale.shape() != blockedShape(shape, place, blockSize)) throwMismatch(shape, scale, axis);
    m_block = static_cast<std::size_t>(blockSize);
    m_inner = inner;
    m_outerPairs = static_cast<std::size_t>(scale.shape()[place]) * inner;
    m_run = 1;
  } else {
    if (scale.shape() != Shape{shape[place]}) throwMismatch(shape, scale, axis);
    m_run = inner;
  }
}

std::size_t QuantizationGrid::pairOf(std::size_t run) const {
  const std::size_t behind = run % m_inner;
  const std::size_t along = run / m_inner % m_extent;
  const std::size_t outer = run / (m_inner * m_extent);
  return outer * m_outerPairs + along / m_block * m_inner + behind;
}

}  // namespace quantscope
