#include "tensor/shape.h"

#include <algorithm>

#include "base/error.h"

namespace quantscope {

Shape::Shape(std::initializer_list<std::int64_t> dimensions)
    : Shape(std::span<const std::int64_t>(dimensions.begin(), dimensions.size())) {}

Shape::Shape(std::span<const std::int64_t> dimensions) {
  for (const std::int64_t extent : dimensions) append(extent);
}

Shape Shape::filled(std::size_t rank, std::int64_t fill) {
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) shape.append(fill);
  return shape;
}

void Shape::append(std::int64_t extent) {
  if (m_rank == kMaxRank) {
    throw Error(ErrorCode::InvalidParameters,
                "a tensor has more than " + std::to_string(kMaxRank) + " axes");
  }
  if (extent < 0) {
    throw Error(ErrorCode::InvalidParameters,
                "a tensor has the negative extent " + std::to_string(extent));
  }
  m_dimensions[m_rank++] = extent;
}

std::int64_t Shape::elementCount() const {
  return elementCount(0, m_rank);
}

std::int64_t Shape::elementCount(std::size_t first, std::size_t last) const {
  std::int64_t count = 1;
  for (std::size_t i = first; i < last; ++i) {
    if (__builtin_mul_overflow(count, m_dimensions[i], &count)) {
      throw Error(ErrorCode::InvalidParameters, "a tensor of shape " + toString(*this) +
                                                    " has more elements than can be counted");
    }
  }
  return count;
}

std::string toString(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

Shape rowMajorStrides(const Shape& shape) {
  Shape strides = Shape::filled(shape.rank(), 1);
  // Extents of a tensor without elements may be of any size: their product wraps around unused.
  for (std::size_t i = shape.rank(); i-- > 1;) {
    strides[i - 1] = static_cast<std::int64_t>(static_cast<std::uint64_t>(strides[i]) *
                                               static_cast<std::uint64_t>(shape[i]));
  }
  return strides;
}

Shape broadcast(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.rank(), b.rank());
  Shape result = Shape::filled(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t left = i < a.rank() ? a[a.rank() - 1 - i] : 1;
    const std::int64_t right = i < b.rank() ? b[b.rank() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1) {
      throw Error(ErrorCode::InvalidParameters, "the shapes " + toString(a) + " and " +
                                                    toString(b) + " cannot be broadcast together");
    }
    result[rank - 1 - i] = left == 1 ? right : left;
  }
  return result;
}

std::size_t normalizeAxis(std::int64_t axis, std::size_t rank) {
  const auto signedRank = static_cast<std::int64_t>(rank);
  if (axis < -signedRank || axis >= signedRank) {
    throw Error(ErrorCode::InvalidParameters,
                "axis " + std::to_string(axis) + " does not exist in a tensor of " +
                    std::to_string(rank) + " axes",
                {}, rank == 0 ? "" : "use an axis from 0 to " + std::to_string(rank - 1));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signedRank : axis);
}

}  // namespace quantscope
