#include <algorithm>
#include <array>
#include <cmath>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

// floor(extent · scale), multiplied in float as the run does it.
Dimension scaled(const Dimension& extent, const Element& scale) {
  if (scale.number == 1.0) return extent;
  if (!extent.known() || !scale.number) return unknown();
  const float product = static_cast<float>(extent.extent) * static_cast<float>(*scale.number);
  return known(toInteger(std::floor(static_cast<double>(product))));
}

// nullptr where the input is omitted, empty (as good as omitted) or not known.
const Elements* given(const Context& context, std::size_t input) {
  const Elements* elements = context.elements(input);
  return elements == nullptr || elements->empty() ? nullptr : elements;
}

Elements scaleAttribute(const Node& node) {
  Elements scales;
  for (const float scale : node.reals("scales")) scales.push_back({scale, {}});
  if (scales.empty() && node.has("height_scale")) {
    scales = {{1.0, {}},
              {1.0, {}},
              {node.real("height_scale", 1), {}},
              {node.real("width_scale", 1), {}}};
  }
  return scales;
}

void upsample(Context& context) {
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  if (shape == nullptr) return;
  const Elements attribute = scaleAttribute(context.node());
  const Elements* input = given(context, 1);
  const Elements& scales = input != nullptr ? *input : attribute;
  Dimensions result = unknownShape(shape->size());
  for (std::size_t i = 0; i < result.size() && scales.size() == result.size(); ++i) {
    result[i] = scaled((*shape)[i], scales[i]);
  }
  context.setOutput(0, context.element(0), std::move(result));
}

std::vector<std::size_t> resizedAxes(const Node& node, std::size_t rank) {
  if (node.has("axes")) return normalizedAxes(node.integers("axes"), rank);
  std::vector<std::size_t> all(rank);
  for (std::size_t i = 0; i < rank; ++i) all[i] = i;
  return all;
}

// Inputs from version 11 on: X, roi, scales, sizes. A size kept in proportion, or scales of a
// region, depend on more than is worth following.
void resize(Context& context) {
  if (context.node().version < 11) return upsample(context);
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  if (shape == nullptr) return;
  const Node& node = context.node();
  const Elements* scales = given(context, 2);
  const Elements* sizes = given(context, 3);
  const bool isStretched = node.text("keep_aspect_ratio_policy", "stretch") == "stretch";
  const bool isRegion = node.text("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  const std::vector<std::size_t> axes = resizedAxes(node, shape->size());
  Dimensions result = *shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Dimension& extent = result[axes[i]];
    if (sizes != nullptr && sizes->size() == axes.size() && isStretched) {
      extent = toDimension((*sizes)[i]);
    } else if (sizes == nullptr && scales != nullptr && scales->size() == axes.size() &&
               !isRegion) {
      extent = scaled(extent, (*scales)[i]);
    } else {
      extent = unknown();
    }
  }
  context.setOutput(0, context.element(0), std::move(result));
}

// X [N, C, …] read at grid [N, …, axes].
void gridSample(Context& context) {
  const Dimensions* input = context.shape(0);
  const Dimensions* grid = context.shape(1);
  context.setOutput(0, context.element(0));
  if (input == nullptr || grid == nullptr || input->size() < 2 || grid->size() < 2) return;
  Dimensions result{(*input)[0], (*input)[1]};
  result.insert(result.end(), grid->begin() + 1, grid->end() - 1);
  context.setOutput(0, context.element(0), std::move(result));
}

void affineGrid(Context& context) {
  const Elements* size = given(context, 1);
  context.setOutput(0, context.element(0));
  if (size == nullptr || size->size() < 4) return;
  Dimensions result{toDimension(size->front())};
  for (std::size_t i = 2; i < size->size(); ++i) result.push_back(toDimension((*size)[i]));
  result.push_back(known(static_cast<std::int64_t>(size->size() - 2)));
  context.setOutput(0, context.element(0), std::move(result));
}

// Regions [count, …] of X [N, C, H, W], each brought to one size.
void poolRegions(Context& context) {
  const Node& node = context.node();
  const Dimensions* input = context.shape(0);
  const Dimensions* regions = context.shape(1);
  Dimensions result = unknownShape(4);
  if (regions != nullptr && !regions->empty()) result[0] = regions->front();
  if (input != nullptr && input->size() > 1) result[1] = (*input)[1];
  std::vector<std::int64_t> size = node.integers("pooled_shape");
  if (node.op == "RoiAlign") {
    size = {node.integer("output_height", 1), node.integer("output_width", 1)};
  }
  for (std::size_t i = 0; i < 2 && size.size() == 2; ++i) result[2 + i] = known(size[i]);
  context.setOutput(0, context.element(0), std::move(result));
}

constexpr std::array kResamplingRules = std::to_array<RuleEntry>({
    {"AffineGrid", affineGrid},
    {"GridSample", gridSample},
    {"MaxRoiPool", poolRegions},
    {"Resize", resize},
    {"RoiAlign", poolRegions},
    {"Upsample", upsample},
});

}  // namespace

std::span<const RuleEntry> resamplingRules() {
  return kResamplingRules;
}

}  // namespace quantscope::inference
