#include "engine/operators/resampling/resize_shape.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

constexpr std::size_t kRoiInput = 1;
constexpr std::size_t kSizesInput = 3;
// Larger than any image, small enough that float counts exactly up to it.
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 24;

void requireCount(std::size_t count, std::size_t wanted, const char* what) {
  if (count == wanted) return;
  throw Error(ErrorCode::InvalidParameters, std::string(what) + " has " + std::to_string(count) +
                                                " entries where " + std::to_string(wanted) +
                                                " are needed");
}

std::int64_t checkedExtent(double extent) {
  if (extent >= 0 && extent <= static_cast<double>(kLargestExtent)) {
    return static_cast<std::int64_t>(extent);
  }
  throw Error(ErrorCode::InvalidParameters,
              "resizing would make an axis of extent " + std::to_string(extent));
}

// An omitted input may also be there with no elements.
const Tensor* givenInput(std::span<Tensor> inputs, std::size_t index) {
  const Tensor* input = optionalInput(inputs, index);
  return input != nullptr && input->elementCount() > 0 ? input : nullptr;
}

}  // namespace

ResizeShape::ResizeShape(const Node& node)
    : m_scalesInput(node.op == "Upsample" || node.version < 11 ? 1 : 2),
      m_axes(node.integers("axes")) {
  if (node.has("scales")) m_fixedScales = node.reals("scales");
  if (node.has("height_scale")) {
    m_fixedScales = {1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
  }
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "not_larger") m_policy = Policy::NotLarger;
  if (policy == "not_smaller") m_policy = Policy::NotSmaller;
}

std::vector<std::size_t> ResizeShape::affected(std::size_t rank) const {
  std::vector<std::size_t> which(m_axes.empty() ? rank : m_axes.size());
  std::iota(which.begin(), which.end(), std::size_t{0});
  std::ranges::transform(m_axes, which.begin(),
                         [rank](std::int64_t axis) { return normalizeAxis(axis, rank); });
  return which;
}

void ResizeShape::applyScales(std::span<const float> scales, std::span<const std::size_t> which,
                              std::vector<ResizedAxis>& axes) const {
  requireCount(scales.size(), which.size(), "'scales'");
  for (std::size_t i = 0; i < which.size(); ++i) {
    ResizedAxis& axis = axes[which[i]];
    if (!(scales[i] > 0)) {
      throw Error(ErrorCode::InvalidParameters,
                  "the scale " + std::to_string(scales[i]) + " is not positive");
    }
    axis.scale = scales[i];
    axis.length = scales[i] * static_cast<float>(axis.input);
    axis.output = checkedExtent(std::floor(axis.length));
  }
}

void ResizeShape::applySizes(std::span<const std::int64_t> sizes,
                             std::span<const std::size_t> which,
                             std::vector<ResizedAxis>& axes) const {
  requireCount(sizes.size(), which.size(), "'sizes'");
  float smallest = std::numeric_limits<float>::max();
  float largest = 0;
  for (std::size_t i = 0; i < which.size(); ++i) {
    ResizedAxis& axis = axes[which[i]];
    axis.output = checkedExtent(static_cast<double>(sizes[i]));
    axis.length = static_cast<float>(axis.output);
    axis.scale = axis.length / static_cast<float>(axis.input);
    smallest = std::min(smallest, axis.scale);
    largest = std::max(largest, axis.scale);
  }
  if (m_policy == Policy::Stretch) return;
  for (const std::size_t index : which) {
    ResizedAxis& axis = axes[index];
    axis.scale = m_policy == Policy::NotLarger ? smallest : largest;
    axis.output = checkedExtent(std::round(axis.scale * static_cast<float>(axis.input)));
    axis.length = static_cast<float>(axis.output);
  }
}

std::vector<ResizedAxis> ResizeShape::axesOf(std::span<Tensor> inputs) const {
  const Shape& shape = requiredInput(inputs, 0).shape();
  std::vector<ResizedAxis> axes;
  for (const std::int64_t extent : shape) {
    axes.push_back({.input = checkedExtent(static_cast<double>(extent)),
                    .output = extent,
                    .scale = 1,
                    .length = static_cast<float>(extent)});
  }
  const std::vector<std::size_t> which = affected(shape.rank());
  const Tensor* roi = m_scalesInput == 2 ? givenInput(inputs, kRoiInput) : nullptr;
  if (roi != nullptr) {
    const Tensor regions = toFloat32(*roi);
    requireCount(regions.elementCount(), 2 * which.size(), "'roi'");
    for (std::size_t i = 0; i < which.size(); ++i) {
      axes[which[i]].roiStart = regions.values<float>()[i];
      axes[which[i]].roiEnd = regions.values<float>()[which.size() + i];
    }
  }
  if (m_fixedScales) {
    applyScales(*m_fixedScales, which, axes);
  } else if (const Tensor* scales = givenInput(inputs, m_scalesInput)) {
    applyScales(scales->values<float>(), which, axes);
  } else if (const Tensor* sizes = givenInput(inputs, kSizesInput)) {
    applySizes(toIntegers(*sizes), which, axes);
  } else {
    throw Error(ErrorCode::InvalidModel, "neither scales nor sizes are given");
  }
  return axes;
}

}  // namespace quantscope
