// Operators that make a tensor from a shape, or return a shape.
#include <algorithm>
#include <array>
#include <cmath>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

Dimensions toShape(const std::vector<std::int64_t>& extents) {
  Dimensions shape;
  for (const std::int64_t extent : extents) shape.push_back(known(extent));
  return shape;
}

// The shape that a shape tensor describes.
std::optional<Dimensions> describedShape(const Context& context, std::size_t input) {
  if (const Elements* elements = context.elements(input)) {
    Dimensions shape;
    for (const Element& element : *elements) shape.push_back(toDimension(element));
    return shape;
  }
  const Dimensions* length = context.shape(input);
  if (length == nullptr || length->size() != 1 || !length->front().known() ||
      length->front().extent > static_cast<std::int64_t>(Shape::kMaxRank)) {
    return std::nullopt;
  }
  return unknownShape(static_cast<std::size_t>(length->front().extent));
}

void shapeOf(Context& context) {
  const Dimensions* shape = context.shape(0);
  if (shape == nullptr) return context.setOutput(0, ElementType::Int64, unknownShape(1));
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto bound = [&](std::int64_t position) {
    return std::clamp<std::int64_t>(position < 0 ? position + rank : position, 0, rank);
  };
  const std::int64_t start = bound(context.node().integer("start", 0));
  const std::int64_t end = std::max(start, bound(context.node().integer("end", rank)));
  Elements elements;
  for (std::int64_t i = start; i < end; ++i) {
    elements.push_back(toElement((*shape)[static_cast<std::size_t>(i)]));
  }
  context.setOutput(0, ElementType::Int64, Dimensions{known(end - start)});
  context.setElements(0, std::move(elements));
}

void sizeOf(Context& context) {
  context.setOutput(0, ElementType::Int64, Dimensions());
  if (const Dimensions* shape = context.shape(0)) {
    context.setElements(0, {toElement(toDimension(productOf(*shape, 0, shape->size())))});
  }
}

void constantOfShape(Context& context) {
  Element value{0.0, {}};
  std::optional<ElementType> element = ElementType::Float32;
  if (const Attribute* attribute = context.node().find("value")) {
    const Tensor* tensor = std::get_if<Tensor>(&attribute->data);
    if (tensor == nullptr || !tensor->defined() || tensor->elementCount() != 1) {
      return context.setOutput(0, {}, describedShape(context, 0));
    }
    element = tensor->type();
    value.number = static_cast<double>(toFloat32(*tensor).values<float>()[0]);
  }
  const std::optional<Dimensions> shape = describedShape(context, 0);
  context.setOutput(0, element, shape);
  const std::optional<std::int64_t> count = shape ? elementCount(*shape) : std::nullopt;
  if (count && *count <= static_cast<std::int64_t>(kMaxElements)) {
    context.setElements(0, Elements(static_cast<std::size_t>(*count), value));
  }
}

void range(Context& context) {
  const std::optional<double> start = scalar(context, 0);
  const std::optional<double> limit = scalar(context, 1);
  const std::optional<double> delta = scalar(context, 2);
  context.setOutput(0, context.element(0), unknownShape(1));
  if (!start || !limit || !delta || *delta == 0) {
    const Elements* end = context.elements(1);
    if (start == 0.0 && delta == 1.0 && end != nullptr && end->size() == 1) {
      context.setOutput(0, context.element(0), Dimensions{toDimension(end->front())});
    }
    return;
  }
  const double count = std::max(0.0, std::ceil((*limit - *start) / *delta));
  context.setOutput(0, context.element(0), Dimensions{known(toInteger(count))});
  if (count > static_cast<double>(kMaxElements)) return;
  Elements elements;
  for (int i = 0; i < static_cast<int>(count); ++i) elements.push_back({*start + i * *delta, {}});
  context.setElements(0, std::move(elements));
}

void random(Context& context) {
  context.setOutput(0, attributeType(context, "dtype", ElementType::Float32),
                    toShape(context.node().integers("shape")));
}

void randomLike(Context& context) {
  context.setOutput(0, attributeType(context, "dtype", context.element(0)),
                    copyOf(context.shape(0)));
}

void multinomial(Context& context) {
  Dimensions shape = unknownShape(2);
  const Dimensions* input = context.shape(0);
  if (input != nullptr && !input->empty()) shape[0] = input->front();
  shape[1] = known(context.node().integer("sample_size", 1));
  context.setOutput(0, attributeType(context, "dtype", ElementType::Int32), std::move(shape));
}

// How many elements a sequence has, whether an optional value is there: no types to follow.
void countOfSequence(Context& context) {
  context.setOutput(0, ElementType::Int64, Dimensions());
}

void presence(Context& context) {
  context.setOutput(0, ElementType::Bool, Dimensions());
}

constexpr std::array kGeneratorsRules = std::to_array<RuleEntry>({
    {"Bernoulli", randomLike},
    {"ConstantOfShape", constantOfShape},
    {"EyeLike", randomLike},
    {"Multinomial", multinomial},
    {"OptionalHasElement", presence},
    {"RandomNormal", random},
    {"RandomNormalLike", randomLike},
    {"RandomUniform", random},
    {"RandomUniformLike", randomLike},
    {"Range", range},
    {"SequenceLength", countOfSequence},
    {"Shape", shapeOf},
    {"Size", sizeOf},
});

}  // namespace

std::span<const RuleEntry> generatorRules() {
  return kGeneratorsRules;
}

}  // namespace quantscope::inference
