#include <algorithm>
#include <array>
#include <map>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

// NumPy's rule: a vector stands for a matrix of one row (left) or column (right), whose axis then
// falls away; axes before the last two are broadcast.
std::optional<Dimensions> productShape(const Dimensions* left, const Dimensions* right) {
  if (left == nullptr || right == nullptr || left->empty() || right->empty()) return std::nullopt;
  Dimensions a = *left;
  Dimensions b = *right;
  if (a.size() == 1) a.insert(a.begin(), known(1));
  if (b.size() == 1) b.push_back(known(1));
  const Dimension rows = a[a.size() - 2];
  const Dimension columns = b.back();
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  std::optional<Dimensions> result = broadcast(&a, &b);
  if (!result) return std::nullopt;
  if (left->size() > 1) result->push_back(rows);
  if (right->size() > 1) result->push_back(columns);
  return result;
}

void multiply(Context& context) {
  context.setOutput(0, context.element(0), productShape(context.shape(0), context.shape(1)));
}

void multiplyInteger(Context& context) {
  context.setOutput(0, ElementType::Int32, productShape(context.shape(0), context.shape(1)));
}

void multiplyQuantized(Context& context) {
  context.setOutput(0, context.element(7), productShape(context.shape(0), context.shape(3)));
}

void gemm(Context& context) {
  const Dimensions* a = context.shape(0);
  const Dimensions* b = context.shape(1);
  const bool transposeA = context.node().integer("transA", 0) != 0;
  const bool transposeB = context.node().integer("transB", 0) != 0;
  Dimensions result = unknownShape(2);
  if (a != nullptr && a->size() == 2) result[0] = (*a)[transposeA ? 1 : 0];
  if (b != nullptr && b->size() == 2) result[1] = (*b)[transposeB ? 0 : 1];
  context.setOutput(0, context.element(0), std::move(result));
}

// "ij,jk->ik"; without an arrow the result has the letters that occur once, in order.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

std::optional<Equation> parseEquation(std::string text) {
  std::erase(text, ' ');
  if (text.find('.') != std::string::npos) return std::nullopt;
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  Equation equation{{std::string()}, {}};
  for (const char letter : left) {
    if (letter == ',') {
      equation.operands.emplace_back();
    } else {
      equation.operands.back() += letter;
    }
  }
  if (arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
    return equation;
  }
  for (char letter = 'A'; letter <= 'z'; ++letter) {
    if (std::ranges::count(left, letter) == 1) equation.result += letter;
  }
  return equation;
}

void einsum(Context& context) {
  context.setOutput(0, context.element(0));
  const std::optional<Equation> equation = parseEquation(context.node().text("equation", ""));
  if (!equation) return;
  std::map<char, Dimension> extents;
  for (std::size_t i = 0; i < equation->operands.size(); ++i) {
    const Dimensions* shape = context.shape(i);
    if (shape == nullptr || shape->size() != equation->operands[i].size()) continue;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      Dimension& extent = extents[equation->operands[i][axis]];
      if (!extent.known() || extent.extent == 1) extent = (*shape)[axis];
    }
  }
  Dimensions result;
  for (const char letter : equation->result) result.push_back(extents[letter]);
  context.setOutput(0, context.element(0), std::move(result));
}

void determinant(Context& context) {
  const Dimensions* shape = context.shape(0);
  if (shape == nullptr || shape->size() < 2) return context.setOutput(0, context.element(0));
  context.setOutput(0, context.element(0), Dimensions(shape->begin(), shape->end() - 2));
}

// Query [batch, heads, length, size], or [batch, length, heads · size] with the numbers of heads as
// attributes; the result has the value's size instead.
void attention(Context& context) {
  const Dimensions* query = context.shape(0);
  const Dimensions* value = context.shape(2);
  context.setOutput(0, context.element(0));
  if (query == nullptr || value == nullptr || query->size() != value->size()) return;
  if (query->size() < 3 || query->size() > 4) return;
  Dimensions result = *query;
  result.back() = value->back();
  if (query->size() == 3) {
    const std::int64_t queryHeads = context.node().integer("q_num_heads", 0);
    const std::int64_t valueHeads = context.node().integer("kv_num_heads", 0);
    const bool grouped = queryHeads != valueHeads;
    if (grouped) result.back() = unknown();
  }
  context.setOutput(0, context.element(0), std::move(result));
}

constexpr std::array kMatrixProductsRules = std::to_array<RuleEntry>({
    {"Attention", attention},
    {"Det", determinant},
    {"Einsum", einsum},
    {"Gemm", gemm},
    {"MatMul", multiply},
    {"MatMulInteger", multiplyInteger},
    {"QLinearMatMul", multiplyQuantized},
});

}  // namespace

std::span<const RuleEntry> matrixProductRules() {
  return kMatrixProductsRules;
}

}  // namespace quantscope::inference
