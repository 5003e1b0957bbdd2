#include "onnx/inference/folding.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "onnx/inference/dimensions.h"

namespace quantscope::inference {
namespace {

using Operation = double (*)(double, double);

struct Fold {
  std::string_view op;
  Operation operation;  // the right operand is ignored by unary ones
  std::size_t operands;
};

constexpr std::array kFolds = std::to_array<Fold>({
    {"Abs", [](double a, double) { return std::abs(a); }, 1},
    {"Add", [](double a, double b) { return a + b; }, 2},
    {"And", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }, 2},
    {"Cast", [](double a, double) { return a; }, 1},
    {"Ceil", [](double a, double) { return std::ceil(a); }, 1},
    {"Div", [](double a, double b) { return a / b; }, 2},
    {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }, 2},
    {"Floor", [](double a, double) { return std::floor(a); }, 1},
    {"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }, 2},
    {"GreaterOrEqual", [](double a, double b) { return a >= b ? 1.0 : 0.0; }, 2},
    {"Identity", [](double a, double) { return a; }, 1},
    {"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }, 2},
    {"LessOrEqual", [](double a, double b) { return a <= b ? 1.0 : 0.0; }, 2},
    {"Max", [](double a, double b) { return std::max(a, b); }, 2},
    {"Min", [](double a, double b) { return std::min(a, b); }, 2},
    {"Mul", [](double a, double b) { return a * b; }, 2},
    {"Neg", [](double a, double) { return -a; }, 1},
    {"Not", [](double a, double) { return a == 0 ? 1.0 : 0.0; }, 1},
    {"Or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }, 2},
    {"Round", [](double a, double) { return std::nearbyint(a); }, 1},
    {"Sqrt", [](double a, double) { return std::sqrt(a); }, 1},
    {"Sub", [](double a, double b) { return a - b; }, 2},
});
static_assert(std::ranges::is_sorted(kFolds, {}, &Fold::op));

// Rounds like the run: integers drop their fraction, float32 keeps 24 bits.
Element rounded(double number, std::optional<ElementType> type) {
  if (std::isnan(number) || !type) return {};
  if (type == ElementType::Float32) return {static_cast<double>(static_cast<float>(number)), {}};
  if (isFloat(*type)) return {number, {}};
  if (type == ElementType::Bool) return {number == 0 ? 0.0 : 1.0, {}};
  return {std::trunc(number), {}};
}

bool isNumber(const Element& element, double number) {
  return element.number == number;
}

// A symbol is an unknown whole number: it survives what certainly leaves it as it is.
Element foldSymbols(std::string_view op, const Element& a, const Element& b) {
  constexpr std::array kKeepsWholeNumbers =
      std::to_array<std::string_view>({"Abs", "Cast", "Ceil", "Floor", "Identity", "Round"});
  if (std::ranges::find(kKeepsWholeNumbers, op) != kKeepsWholeNumbers.end()) return a;
  const bool keepsA = (op == "Add" && isNumber(b, 0)) || (op == "Sub" && isNumber(b, 0)) ||
                      (op == "Mul" && isNumber(b, 1)) || (op == "Div" && isNumber(b, 1));
  if (keepsA) return a;
  const bool keepsB = (op == "Add" && isNumber(a, 0)) || (op == "Mul" && isNumber(a, 1));
  if (keepsB) return b;
  // An extent is never −1, which exporters compare it with for "as it was".
  const bool comparesWithMinusOne = op == "Equal" && (isNumber(a, -1) || isNumber(b, -1)) &&
                                    (!a.symbol.empty() || !b.symbol.empty());
  if (comparesWithMinusOne) return {0.0, {}};
  return {};
}

Element fold(const Fold& entry, const Element& a, const Element& b,
             std::optional<ElementType> type) {
  if (a.number && (b.number || entry.operands == 1)) {
    return rounded(entry.operation(*a.number, b.number.value_or(0)), type);
  }
  return foldSymbols(entry.op, a, b);
}

// An operand's elements spread over the shape of the result.
std::optional<Elements> spread(const Context& context, std::size_t input,
                               const std::vector<std::int64_t>& extents) {
  const Elements* elements = context.elements(input);
  std::optional<StridedView> view = viewOf(context.shape(input));
  if (elements == nullptr || !view || view->extents.size() > extents.size()) return std::nullopt;
  const std::size_t added = extents.size() - view->extents.size();
  view->strides.insert(view->strides.begin(), added, 0);
  view->extents.insert(view->extents.begin(), added, 1);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (view->extents[i] != extents[i]) view->strides[i] = 0;
  }
  view->extents = extents;
  return elementsIn(*view, *elements);
}

std::optional<std::vector<std::int64_t>> resultExtents(const Context& context) {
  const std::optional<Dimensions> shape = broadcastInputs(context, 0, context.inputCount());
  std::optional<StridedView> view = viewOf(shape ? &*shape : nullptr);
  if (!view) return std::nullopt;
  return view->extents;
}

void foldWhere(Context& context, const std::vector<std::int64_t>& extents) {
  const auto condition = spread(context, 0, extents);
  const auto chosen = spread(context, 1, extents);
  const auto other = spread(context, 2, extents);
  if (!condition || !chosen || !other) return;
  Elements result;
  for (std::size_t i = 0; i < condition->size(); ++i) {
    const std::optional<double>& isChosen = (*condition)[i].number;
    result.push_back(!isChosen ? Element{} : *isChosen != 0 ? (*chosen)[i] : (*other)[i]);
  }
  context.setElements(0, std::move(result));
}

}  // namespace

void foldElementwise(Context& context) {
  if (!context.hasInput(0) || context.elements(0) == nullptr) return;
  const std::optional<std::vector<std::int64_t>> extents = resultExtents(context);
  if (!extents) return;
  if (context.node().op == "Where") return foldWhere(context, *extents);
  const auto entry = std::ranges::lower_bound(kFolds, context.node().op, {}, &Fold::op);
  if (entry == kFolds.end() || entry->op != context.node().op) return;
  if (context.inputCount() != entry->operands || context.outputCount() != 1) return;

  const auto left = spread(context, 0, *extents);
  const auto right = entry->operands == 2 ? spread(context, 1, *extents) : left;
  if (!left || !right) return;
  const std::optional<ElementType> type = context.output(0).element;
  Elements result;
  for (std::size_t i = 0; i < left->size(); ++i) {
    result.push_back(fold(*entry, (*left)[i], (*right)[i], type));
  }
  context.setElements(0, std::move(result));
}

std::optional<StridedView> viewOf(const Dimensions* shape) {
  if (shape == nullptr) return std::nullopt;
  const std::optional<std::int64_t> count = elementCount(*shape);
  if (!count || *count > static_cast<std::int64_t>(kMaxElements)) return std::nullopt;
  StridedView view;
  view.strides.resize(shape->size(), 0);
  std::int64_t stride = 1;
  // Without elements the strides do not matter, and the extents may be of any size.
  for (std::size_t i = shape->size(); i-- > 0 && *count > 0;) {
    view.strides[i] = stride;
    stride *= (*shape)[i].extent;
  }
  for (const Dimension& dimension : *shape) view.extents.push_back(dimension.extent);
  return view;
}

std::optional<Elements> elementsIn(const StridedView& view, const Elements& elements) {
  std::int64_t count = 1;
  for (const std::int64_t extent : view.extents) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  if (count > static_cast<std::int64_t>(kMaxElements)) return std::nullopt;
  Elements result;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t position = view.offset;
    std::int64_t rest = i;
    for (std::size_t axis = view.extents.size(); axis-- > 0;) {
      position += rest % view.extents[axis] * view.strides[axis];
      rest /= view.extents[axis];
    }
    if (position < 0 || position >= static_cast<std::int64_t>(elements.size())) return std::nullopt;
    result.push_back(elements[static_cast<std::size_t>(position)]);
  }
  return result;
}

}  // namespace quantscope::inference
