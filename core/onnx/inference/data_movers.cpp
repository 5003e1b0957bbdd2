#include <algorithm>
#include <array>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/folding.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

// One element of a list of known numbers.
std::optional<std::int64_t> numberAt(const Elements& elements, std::size_t index) {
  if (index >= elements.size() || !elements[index].number) return std::nullopt;
  return toInteger(*elements[index].number);
}

void transpose(Context& context) {
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  if (shape == nullptr) return;
  std::vector<std::int64_t> order = context.node().integers("perm");
  if (order.empty()) {
    for (std::size_t i = shape->size(); i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
  }
  if (order.size() != shape->size()) return;
  Dimensions result;
  StridedView moved;
  const std::optional<StridedView> view = viewOf(shape);
  for (const std::size_t axis : normalizedAxes(order, shape->size())) {
    result.push_back((*shape)[axis]);
    if (!view) continue;
    moved.extents.push_back(view->extents[axis]);
    moved.strides.push_back(view->strides[axis]);
  }
  context.setOutput(0, context.element(0), std::move(result));
  if (!view || context.elements(0) == nullptr) return;
  if (auto elements = elementsIn(moved, *context.elements(0))) {
    context.setElements(0, *std::move(elements));
  }
}

// A number plus a symbol is neither.
Dimension sum(const Dimension& a, const Dimension& b) {
  if (a.extent == 0) return b;
  if (b.extent == 0) return a;
  Dimension result;
  if (!a.known() || !b.known() || __builtin_add_overflow(a.extent, b.extent, &result.extent)) {
    return unknown();
  }
  return result;
}

void concatElements(Context& context) {
  Elements all;
  for (std::size_t i = 0; i < context.inputCount(); ++i) {
    const Elements* part = context.elements(i);
    if (part == nullptr) return;
    all.insert(all.end(), part->begin(), part->end());
  }
  context.setElements(0, std::move(all));
}

void concat(Context& context) {
  std::optional<ElementType> element;
  const Dimensions* first = nullptr;
  for (std::size_t i = 0; i < context.inputCount(); ++i) {
    if (!element) element = context.element(i);
    if (first == nullptr) first = context.shape(i);
  }
  context.setOutput(0, element);
  if (first == nullptr) return;
  const std::size_t axis = context.axis(1, first->size());
  Dimensions result = *first;
  result[axis] = known(0);
  for (std::size_t i = 0; i < context.inputCount(); ++i) {
    const Dimensions* shape = context.shape(i);
    if (shape != nullptr && shape->size() != result.size()) return;
    result[axis] = shape == nullptr ? unknown() : sum(result[axis], (*shape)[axis]);
    for (std::size_t d = 0; shape != nullptr && d < result.size(); ++d) {
      if (d != axis && !result[d].known()) result[d] = (*shape)[d];
    }
    // An unknown extent stays unknown: adding 0 to it would bring a symbol back.
    if (!result[axis].known() && i + 1 < context.inputCount()) {
      result[axis] = unknown();
      break;
    }
  }
  context.setOutput(0, element, std::move(result));
  if (first->size() == 1) concatElements(context);
}

// Part `index` of an axis that is split without sizes: equal parts, the last one takes the rest.
Dimension equalPart(const Dimension& whole, std::size_t index, std::size_t parts) {
  if (!whole.known()) return unknown();
  const auto count = static_cast<std::int64_t>(parts);
  const std::int64_t part = (whole.extent + count - 1) / count;
  const std::int64_t begin = std::min(whole.extent, part * static_cast<std::int64_t>(index));
  return known(std::min(part, whole.extent - begin));
}

void splitElements(Context& context, std::size_t output, std::int64_t begin) {
  const Elements* elements = context.elements(0);
  const std::optional<Dimensions> shape = context.output(output).shape;
  if (elements == nullptr || !shape || shape->size() != 1) return;
  std::optional<StridedView> view = viewOf(&*shape);
  if (!view) return;
  view->offset = begin;
  if (auto part = elementsIn(*view, *elements)) context.setElements(output, *std::move(part));
}

void split(Context& context) {
  const Dimensions* shape = context.shape(0);
  const IntegerList sizes = context.integers("split", 1);
  for (std::size_t i = 0; i < context.outputCount(); ++i) {
    context.setOutput(i, context.element(0));
  }
  if (shape == nullptr) return;
  const std::size_t axis = context.axis(0, shape->size());
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < context.outputCount(); ++i) {
    Dimensions part = *shape;
    part[axis] = unknown();
    if (!sizes.given) {
      part[axis] = equalPart((*shape)[axis], i, context.outputCount());
    } else if (sizes.values && i < sizes.values->size()) {
      part[axis] = known((*sizes.values)[i]);
    }
    const std::int64_t extent = part[axis].extent;
    context.setOutput(i, context.element(0), std::move(part));
    if (extent < 0 || begin < 0) {
      begin = -1;
      continue;
    }
    splitElements(context, i, begin);
    if (__builtin_add_overflow(begin, extent, &begin)) begin = -1;
  }
}

void pad(Context& context) {
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  if (shape == nullptr) return;
  const IntegerList pads =
      context.integers(context.node().has("paddings") ? "paddings" : "pads", 1);
  const IntegerList axesList = context.integers({}, 3);
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < shape->size(); ++i) all.push_back(static_cast<std::int64_t>(i));
  const bool unknownAxes = axesList.given && !axesList.values;
  const auto axes = normalizedAxes(axesList.values.value_or(all), shape->size());
  if (unknownAxes || !pads.values || pads.values->size() != 2 * axes.size()) {
    return context.setOutput(0, context.element(0), unknownShape(shape->size()));
  }
  Dimensions result = *shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Dimension& extent = result[axes[i]];
    extent = shifted(shifted(extent, (*pads.values)[i]), (*pads.values)[i + axes.size()]);
  }
  context.setOutput(0, context.element(0), std::move(result));
}

void tile(Context& context) {
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  if (shape == nullptr) return;
  Dimensions result = unknownShape(shape->size());
  const Elements* repeats = context.elements(1);
  // Version 1 repeated one axis: inputs tiles, axis.
  const bool isList = context.node().version >= 6 && repeats != nullptr;
  for (std::size_t i = 0; isList && i < result.size(); ++i) {
    const std::optional<std::int64_t> times = numberAt(*repeats, i);
    if (times == 1) {
      result[i] = (*shape)[i];
    } else if (times && (*shape)[i].known() &&
               __builtin_mul_overflow((*shape)[i].extent, *times, &result[i].extent)) {
      result[i] = unknown();
    } else if (!times || !(*shape)[i].known()) {
      result[i] = unknown();
    }
  }
  context.setOutput(0, context.element(0), std::move(result));
}

void expand(Context& context) {
  context.setOutput(0, context.element(0));
  const Elements* wanted = context.elements(1);
  const Dimensions* lengths = context.shape(1);
  Dimensions target;
  if (wanted != nullptr) {
    for (const Element& element : *wanted) target.push_back(toDimension(element));
  } else if (lengths != nullptr && lengths->size() == 1 && lengths->front().known() &&
             lengths->front().extent <= static_cast<std::int64_t>(Shape::kMaxRank)) {
    target = unknownShape(static_cast<std::size_t>(lengths->front().extent));
  } else {
    return;
  }
  context.setOutput(0, context.element(0), broadcast(context.shape(0), &target));
}

// [N, C, H, W] with blocks of the plane moved into channels or back.
void depthToSpace(Context& context) {
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  const std::int64_t block = context.node().integer("blocksize", 0);
  if (shape == nullptr || shape->size() != 4 || block < 1 || block > (1 << 10)) return;
  const bool toSpace = context.node().op == "DepthToSpace";
  const auto grown = [](const Dimension& d, std::int64_t by) {
    return d.known() ? known(d.extent * by) : unknown();
  };
  const auto shrunk = [](const Dimension& d, std::int64_t by) {
    return d.known() ? known(d.extent / by) : unknown();
  };
  Dimensions result = *shape;
  result[1] = toSpace ? shrunk(result[1], block * block) : grown(result[1], block * block);
  for (const std::size_t axis : {std::size_t{2}, std::size_t{3}}) {
    result[axis] = toSpace ? grown(result[axis], block) : shrunk(result[axis], block);
  }
  context.setOutput(0, context.element(0), std::move(result));
}

// Experimental: `border` is left, top, right, bottom; `scale` a wanted height and width instead.
void crop(Context& context) {
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  const std::vector<std::int64_t> border = context.node().integers("border");
  const std::vector<std::int64_t> size = context.node().integers("scale");
  if (shape == nullptr || shape->size() != 4 || border.size() != 4 || !isModest(border)) return;
  Dimensions result = *shape;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t lost = border[1 - i] + border[3 - i];
    Dimension& extent = result[2 + i];
    extent = size.size() == 2 ? known(size[i]) : shifted(extent, -lost);
  }
  context.setOutput(0, context.element(0), std::move(result));
}

void centerCropPad(Context& context) {
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  if (shape == nullptr) return;
  const Elements* wanted = context.elements(1);
  std::vector<std::int64_t> list = context.node().integers("axes");
  for (std::size_t i = 0; list.size() < shape->size() && !context.node().has("axes"); ++i) {
    list.push_back(static_cast<std::int64_t>(i));
  }
  const std::vector<std::size_t> axes = normalizedAxes(list, shape->size());
  Dimensions result = *shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool isKnown = wanted != nullptr && i < wanted->size();
    result[axes[i]] = isKnown ? toDimension((*wanted)[i]) : unknown();
  }
  context.setOutput(0, context.element(0), std::move(result));
}

constexpr std::array kDataMoversRules = std::to_array<RuleEntry>({
    {"CenterCropPad", centerCropPad},
    {"Concat", concat},
    {"Crop", crop},
    {"DepthToSpace", depthToSpace},
    {"Expand", expand},
    {"Pad", pad},
    {"ReverseSequence", sameAsInput},
    {"SpaceToDepth", depthToSpace},
    {"Split", split},
    {"Tile", tile},
    {"Transpose", transpose},
    {"Trilu", sameAsInput},
});

}  // namespace

std::span<const RuleEntry> dataMoverRules() {
  return kDataMoversRules;
}

}  // namespace quantscope::inference
