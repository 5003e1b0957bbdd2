#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "tensor/shape.h"

namespace quantscope {

/// ⌈dividend / divisor⌉ for a positive divisor.
inline std::int64_t divideUp(std::int64_t dividend, std::int64_t divisor) {
  return dividend <= 0 ? -(-dividend / divisor) : (dividend + divisor - 1) / divisor;
}

/// How a window slides along one spatial axis.
struct WindowAxis {
  std::int64_t input = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t padBegin = 0;
  std::int64_t padEnd = 0;
  std::int64_t output = 1;

  /// Extent of the window with its gaps.
  std::int64_t span() const { return dilation * (kernel - 1) + 1; }
  /// Extent of the input with the pads that windows reach.
  std::int64_t paddedInput() const {
    return std::max(padBegin + input, (output - 1) * stride + span());
  }

  friend bool operator==(const WindowAxis&, const WindowAxis&) = default;
};

/// A window over all spatial axes of a tensor [N, C, D1, …].
struct Window {
  std::vector<WindowAxis> axes;

  std::int64_t positions() const;  ///< outputs per image
  std::int64_t taps() const;       ///< elements of the kernel
};

/// The attributes that convolutions and pooling share: kernel_shape, strides, dilations, pads,
/// auto_pad, ceil_mode.
class WindowAttributes {
 public:
  /// Throws InvalidModel where they contradict each other or leave the valid range.
  explicit WindowAttributes(const Node& node);

  bool hasKernel() const { return !m_kernel.empty(); }
  std::span<const std::int64_t> kernel() const { return m_kernel; }
  std::int64_t stride(std::size_t axis) const { return m_strides.empty() ? 1 : m_strides[axis]; }
  std::int64_t dilation(std::size_t axis) const {
    return m_dilations.empty() ? 1 : m_dilations[axis];
  }

  /// The window over an input of shape [N, C, D1, …] with a kernel of the given extents:
  /// output = ⌊(input + pads − span) / stride⌋ + 1, under ceil_mode rounded up as long as the last
  /// window still starts inside the input or its leading pad; ⌈input / stride⌉ under SAME_*.
  /// Throws InvalidParameters where ranks differ or the kernel does not fit into the padded input.
  Window resolve(const Shape& input, std::span<const std::int64_t> kernel) const;

  /// The window whose scatter is a transposed convolution: `output` is the extent of the
  /// gradient-like input, `input` that of the result:
  /// input = stride · (output − 1) + outputPadding + span − pads, or `outputShape` where it is
  /// given; then, and under SAME_*, the pads follow from it.
  Window resolveTransposed(const Shape& input, std::span<const std::int64_t> kernel,
                           std::span<const std::int64_t> outputPadding,
                           std::span<const std::int64_t> outputShape) const;

  /// Throws InvalidParameters unless every attribute has as many entries as `input`, of shape
  /// [N, C, D1, …], has spatial axes, none of them empty.
  void requireRank(const Shape& input, std::span<const std::int64_t> kernel) const;

 private:
  enum class AutoPad { NotSet, SameUpper, SameLower, Valid };
  static AutoPad readAutoPad(const Node& node);
  WindowAxis startAxis(std::size_t axis, std::int64_t kernel, std::size_t count) const;
  void spreadPads(WindowAxis& axis, std::int64_t total) const;

  AutoPad m_autoPad;
  std::vector<std::int64_t> m_kernel;
  std::vector<std::int64_t> m_strides;
  std::vector<std::int64_t> m_dilations;
  std::vector<std::int64_t> m_pads;
  bool m_ceil;
};

}  // namespace quantscope
