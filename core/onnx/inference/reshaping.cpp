// Operators that keep the elements in their order and change the shape alone.
#include <algorithm>
#include <array>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

void keepElements(Context& context) {
  if (const Elements* elements = context.elements(0)) context.setElements(0, *elements);
}

// The shape that Reshape is given: the attribute (version 1) or the elements of input 1.
std::optional<Elements> wantedShape(const Context& context) {
  if (context.node().has("shape")) {
    Elements wanted;
    for (const std::int64_t extent : context.node().integers("shape")) {
      wanted.push_back({static_cast<double>(extent), {}});
    }
    return wanted;
  }
  if (const Elements* elements = context.elements(1)) return *elements;
  const Dimensions* shape = context.shape(1);
  if (shape == nullptr || shape->size() != 1 || !shape->front().known() ||
      shape->front().extent > static_cast<std::int64_t>(Shape::kMaxRank)) {
    return std::nullopt;
  }
  return Elements(static_cast<std::size_t>(shape->front().extent));
}

// 0 copies the extent of the input, −1 takes the remaining elements.
void reshape(Context& context) {
  const std::optional<Elements> wanted = wantedShape(context);
  if (!wanted) return context.setOutput(0, context.element(0));
  const Dimensions* input = context.shape(0);
  const bool zeroCopies = context.node().integer("allowzero", 0) == 0;
  Dimensions result;
  std::optional<std::size_t> rest;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const Element& element = (*wanted)[i];
    if (element.number == 0.0 && zeroCopies) {
      result.push_back(input != nullptr && i < input->size() ? (*input)[i] : unknown());
    } else if (element.number == -1.0) {
      rest = i;
      result.push_back(known(1));
    } else {
      result.push_back(toDimension(element));
    }
  }
  if (rest) {
    result[*rest] = input == nullptr ? unknown()
                                     : quotient(productOf(*input, 0, input->size()),
                                                productOf(result, 0, result.size()));
  }
  context.setOutput(0, context.element(0), std::move(result));
  keepElements(context);
}

void flatten(Context& context) {
  const Dimensions* shape = context.shape(0);
  if (shape == nullptr) return context.setOutput(0, context.element(0), unknownShape(2));
  const std::int64_t axis = context.node().integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto split =
      static_cast<std::size_t>(std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank));
  context.setOutput(0, context.element(0),
                    Dimensions{toDimension(productOf(*shape, 0, split)),
                               toDimension(productOf(*shape, split, shape->size()))});
  keepElements(context);
}

void squeeze(Context& context) {
  const Dimensions* shape = context.shape(0);
  const IntegerList list = context.integers("axes", 1);
  context.setOutput(0, context.element(0));
  if (shape == nullptr || (list.given && !list.values)) return;
  Dimensions result;
  const std::vector<std::size_t> axes =
      normalizedAxes(list.values.value_or(std::vector<std::int64_t>()), shape->size());
  for (std::size_t i = 0; i < shape->size(); ++i) {
    // Without axes, an unknown extent may be 1 and go, so the rank is unknown.
    if (!list.given && !(*shape)[i].known()) return;
    const bool goes =
        list.given ? std::ranges::find(axes, i) != axes.end() : (*shape)[i].extent == 1;
    if (!goes) result.push_back((*shape)[i]);
  }
  context.setOutput(0, context.element(0), std::move(result));
  keepElements(context);
}

void unsqueeze(Context& context) {
  const Dimensions* shape = context.shape(0);
  const IntegerList list = context.integers("axes", 1);
  context.setOutput(0, context.element(0));
  if (shape == nullptr || !list.values) return;
  const std::size_t rank = shape->size() + list.values->size();
  const std::vector<std::size_t> axes = normalizedAxes(*list.values, rank);
  Dimensions result;
  auto next = shape->begin();
  for (std::size_t i = 0; i < rank; ++i) {
    const bool isNew = std::ranges::find(axes, i) != axes.end();
    if (!isNew && next == shape->end()) return;
    result.push_back(isNew ? known(1) : *next++);
  }
  context.setOutput(0, context.element(0), std::move(result));
  keepElements(context);
}

constexpr std::array kReshapingRules = std::to_array<RuleEntry>({
    {"Flatten", flatten},
    {"Reshape", reshape},
    {"Squeeze", squeeze},
    {"Unsqueeze", unsqueeze},
});

}  // namespace

std::span<const RuleEntry> reshapingRules() {
  return kReshapingRules;
}

}  // namespace quantscope::inference
