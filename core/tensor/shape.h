#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace quantscope {

/// The extent of a tensor along each axis, outermost first. No axes = a scalar.
/// Small enough to live in place: the engine makes one per value and run.
class Shape {
 public:
  static constexpr std::size_t kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dimensions);
  /// Throws InvalidParameters for more than kMaxRank axes or a negative extent.
  explicit Shape(std::span<const std::int64_t> dimensions);
  /// `rank` axes of extent `fill`.
  static Shape filled(std::size_t rank, std::int64_t fill);

  std::size_t rank() const { return m_rank; }
  bool empty() const { return m_rank == 0; }
  std::int64_t operator[](std::size_t axis) const { return m_dimensions[axis]; }
  std::int64_t& operator[](std::size_t axis) { return m_dimensions[axis]; }
  std::int64_t back() const { return m_dimensions[m_rank - 1]; }
  const std::int64_t* begin() const { return m_dimensions.data(); }
  const std::int64_t* end() const { return m_dimensions.data() + m_rank; }
  std::span<const std::int64_t> dimensions() const { return {begin(), m_rank}; }

  void append(std::int64_t extent);

  /// Product of all extents; 1 for a scalar. Throws InvalidParameters on overflow.
  std::int64_t elementCount() const;
  /// Product of the extents of axes [first, last).
  std::int64_t elementCount(std::size_t first, std::size_t last) const;

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.m_rank != b.m_rank) return false;
    for (std::size_t i = 0; i < a.m_rank; ++i) {
      if (a.m_dimensions[i] != b.m_dimensions[i]) return false;
    }
    return true;
  }

 private:
  std::array<std::int64_t, kMaxRank> m_dimensions{};
  std::uint8_t m_rank = 0;
};

/// "[1, 3, 224, 224]"
std::string toString(const Shape& shape);

/// Elements between neighbours along each axis of a dense row-major tensor.
Shape rowMajorStrides(const Shape& shape);

/// The common shape of two operands by the multidirectional rule of ONNX (and NumPy).
/// Throws InvalidParameters where an axis agrees neither nor is 1.
Shape broadcast(const Shape& a, const Shape& b);

/// `axis` counted from the front; −1 = the last of `rank` axes.
/// Throws InvalidParameters outside [−rank, rank).
std::size_t normalizeAxis(std::int64_t axis, std::size_t rank);

}  // namespace quantscope
