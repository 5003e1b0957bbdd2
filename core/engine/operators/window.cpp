#include "engine/operators/window.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

// Far beyond any real model, far below where products of four of them overflow an int64.
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;

void requireExtents(const Node& node, const char* attribute,
                    const std::vector<std::int64_t>& extents, std::int64_t smallest) {
  for (const std::int64_t extent : extents) {
    if (extent >= smallest && extent <= kLargestExtent) continue;
    throw Error(ErrorCode::InvalidModel, node.op + " has the value " + std::to_string(extent) +
                                             " in its attribute '" + attribute + "'");
  }
}

void requireCount(std::string_view what, std::size_t count, std::size_t wanted) {
  if (count == 0 || count == wanted) return;
  throw Error(ErrorCode::InvalidParameters, std::string(what) + " has " + std::to_string(count) +
                                                " entries where the input needs " +
                                                std::to_string(wanted));
}

std::int64_t ceilDivide(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

}  // namespace

std::int64_t Window::positions() const {
  std::int64_t count = 1;
  for (const WindowAxis& axis : axes) count *= axis.output;
  return count;
}

std::int64_t Window::taps() const {
  std::int64_t count = 1;
  for (const WindowAxis& axis : axes) count *= axis.kernel;
  return count;
}

WindowAttributes::WindowAttributes(const Node& node)
    : m_autoPad(readAutoPad(node)),
      m_kernel(node.integers("kernel_shape")),
      m_strides(node.integers("strides")),
      m_dilations(node.integers("dilations")),
      m_pads(node.integers("pads")),
      m_ceil(node.integer("ceil_mode", 0) != 0) {
  requireExtents(node, "kernel_shape", m_kernel, 1);
  requireExtents(node, "strides", m_strides, 1);
  requireExtents(node, "dilations", m_dilations, 1);
  requireExtents(node, "pads", m_pads, 0);
}

WindowAttributes::AutoPad WindowAttributes::readAutoPad(const Node& node) {
  const std::string mode = node.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) return AutoPad::NotSet;
  if (mode == "SAME_UPPER") return AutoPad::SameUpper;
  if (mode == "SAME_LOWER") return AutoPad::SameLower;
  if (mode == "VALID") return AutoPad::Valid;
  throw Error(ErrorCode::InvalidModel, node.op + " has the unknown auto_pad '" + mode + "'");
}

void WindowAttributes::requireRank(const Shape& input, std::span<const std::int64_t> kernel) const {
  if (input.rank() < 3) {
    throw Error(ErrorCode::InvalidParameters,
                "an input of shape " + toString(input) + " has no spatial axes");
  }
  const std::size_t count = input.rank() - 2;
  if (input.elementCount(2, input.rank()) == 0) {
    throw Error(ErrorCode::InvalidParameters,
                "an input of shape " + toString(input) + " has an empty spatial axis");
  }
  if (kernel.size() != count) {
    throw Error(ErrorCode::InvalidParameters, "a kernel of " + std::to_string(kernel.size()) +
                                                  " spatial axes does not fit an input of shape " +
                                                  toString(input));
  }
  requireCount("'strides'", m_strides.size(), count);
  requireCount("'dilations'", m_dilations.size(), count);
  requireCount("'pads'", m_pads.size(), 2 * count);
}

WindowAxis WindowAttributes::startAxis(std::size_t axis, std::int64_t kernel,
                                       std::size_t count) const {
  WindowAxis result;
  result.kernel = kernel;
  result.stride = stride(axis);
  result.dilation = dilation(axis);
  if (m_autoPad == AutoPad::NotSet && !m_pads.empty()) {
    result.padBegin = m_pads[axis];
    result.padEnd = m_pads[count + axis];
  }
  return result;
}

void WindowAttributes::spreadPads(WindowAxis& axis, std::int64_t total) const {
  const std::int64_t smaller = total / 2;
  axis.padBegin = m_autoPad == AutoPad::SameUpper ? smaller : total - smaller;
  axis.padEnd = total - axis.padBegin;
}

Window WindowAttributes::resolve(const Shape& input, std::span<const std::int64_t> kernel) const {
  requireRank(input, kernel);
  Window window;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    WindowAxis axis = startAxis(i, kernel[i], kernel.size());
    axis.input = input[i + 2];
    if (m_autoPad == AutoPad::SameUpper || m_autoPad == AutoPad::SameLower) {
      axis.output = ceilDivide(axis.input, axis.stride);
      const std::int64_t reach = (axis.output - 1) * axis.stride + axis.span();
      spreadPads(axis, std::max<std::int64_t>(0, reach - axis.input));
    } else {
      const std::int64_t room = axis.input + axis.padBegin + axis.padEnd - axis.span();
      if (room < 0) {
        throw Error(ErrorCode::InvalidParameters,
                    "a kernel of extent " + std::to_string(axis.span()) +
                        " does not fit into an input of shape " + toString(input));
      }
      axis.output = (m_ceil ? ceilDivide(room, axis.stride) : room / axis.stride) + 1;
      // A window that would start behind the input sees nothing but padding.
      const bool startsBehind = (axis.output - 1) * axis.stride >= axis.input + axis.padBegin;
      if (m_ceil && startsBehind) --axis.output;
    }
    window.axes.push_back(axis);
  }
  return window;
}

Window WindowAttributes::resolveTransposed(const Shape& input, std::span<const std::int64_t> kernel,
                                           std::span<const std::int64_t> outputPadding,
                                           std::span<const std::int64_t> outputShape) const {
  requireRank(input, kernel);
  requireCount("'output_padding'", outputPadding.size(), kernel.size());
  // Some exporters write the whole shape, [N, C, D1, …].
  if (outputShape.size() == kernel.size() + 2) outputShape = outputShape.subspan(2);
  requireCount("'output_shape'", outputShape.size(), kernel.size());
  Window window;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    WindowAxis axis = startAxis(i, kernel[i], kernel.size());
    axis.output = input[i + 2];
    const std::int64_t extra = outputPadding.empty() ? 0 : outputPadding[i];
    const std::int64_t full = axis.stride * (axis.output - 1) + extra + axis.span();
    const bool same = m_autoPad == AutoPad::SameUpper || m_autoPad == AutoPad::SameLower;
    if (!outputShape.empty() || same) {
      axis.input = outputShape.empty() ? axis.output * axis.stride : outputShape[i];
      spreadPads(axis, std::max<std::int64_t>(0, full - axis.input));
    } else {
      axis.input = full - axis.padBegin - axis.padEnd;
    }
    // Output padding lies behind the last window and is not a pad of that window.
    axis.padEnd = full - extra - axis.input - axis.padBegin;
    if (axis.input < 0 || axis.input > kLargestExtent) {
      throw Error(
          ErrorCode::InvalidParameters,
          "a transposed convolution would make an axis of extent " + std::to_string(axis.input));
    }
    window.axes.push_back(axis);
  }
  return window;
}

}  // namespace quantscope
