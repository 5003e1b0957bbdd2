#include <algorithm>
#include <array>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/folding.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

Dimensions reduced(const Dimensions& shape, const std::vector<std::size_t>& axes, bool keep) {
  Dimensions result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool isReduced = std::ranges::find(axes, i) != axes.end();
    if (!isReduced) {
      result.push_back(shape[i]);
    } else if (keep) {
      result.push_back(known(1));
    }
  }
  return result;
}

std::optional<Dimensions> reducedShape(const Context& context, bool keep) {
  const Dimensions* shape = context.shape(0);
  if (shape == nullptr) return std::nullopt;
  const IntegerList axes = context.integers("axes", 1);
  const bool isEmpty = !axes.given || (axes.values && axes.values->empty());
  if (isEmpty) {
    if (context.node().integer("noop_with_empty_axes", 0) != 0) return *shape;
    return keep ? Dimensions(shape->size(), known(1)) : Dimensions();
  }
  if (axes.values) return reduced(*shape, normalizedAxes(*axes.values, shape->size()), keep);
  if (keep) return unknownShape(shape->size());
  return std::nullopt;
}

void foldProduct(Context& context) {
  const Elements* elements = context.elements(0);
  const std::optional<Dimensions> shape = reducedShape(context, false);
  if (elements == nullptr || !shape || !shape->empty()) return;
  double product = 1;
  for (const Element& element : *elements) {
    if (!element.number) return;
    product *= *element.number;
  }
  context.setElements(0, {{product, {}}});
}

void reduce(Context& context) {
  const bool keep = context.node().integer("keepdims", 1) != 0;
  context.setOutput(0, context.element(0), reducedShape(context, keep));
  if (context.node().op == "ReduceProd") foldProduct(context);
}

void argument(Context& context) {
  const Dimensions* shape = context.shape(0);
  if (shape == nullptr) return context.setOutput(0, ElementType::Int64);
  const std::vector<std::size_t> axes{context.axis(0, shape->size())};
  const bool keep = context.node().integer("keepdims", 1) != 0;
  context.setOutput(0, ElementType::Int64, reduced(*shape, axes, keep));
}

// A loss per element, or one number.
void loss(Context& context) {
  const bool isPerElement = context.node().text("reduction", "mean") == "none";
  context.setOutput(0, context.element(0), isPerElement ? copyOf(context.shape(1)) : Dimensions());
  context.setOutput(1, context.element(0), copyOf(context.shape(0)));
}

constexpr std::array kReductionsRules = std::to_array<RuleEntry>({
    {"ArgMax", argument},
    {"ArgMin", argument},
    {"CumProd", sameAsInput},
    {"CumSum", sameAsInput},
    {"NegativeLogLikelihoodLoss", loss},
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceLogSum", reduce},
    {"ReduceLogSumExp", reduce},
    {"ReduceMax", reduce},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceSum", reduce},
    {"ReduceSumSquare", reduce},
    {"SoftmaxCrossEntropyLoss", loss},
});

}  // namespace

std::span<const RuleEntry> reductionRules() {
  return kReductionsRules;
}

}  // namespace quantscope::inference
