#include <algorithm>
#include <string>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Gemm: A·B with A in place 0 and B in place 1, each a matrix that may be transposed.

int gemmOutputAxis(const Node& node, std::size_t, const Shape&) {
  return node.integer("transB", 0) != 0 ? 0 : 1;
}

int gemmInputAxis(const Node& node, std::size_t, std::size_t) {
  return node.integer("transB", 0) != 0 ? 1 : 0;
}

int gemmSummedAxis(const Node& node, std::size_t slot, std::size_t) {
  const bool left = slot != 0;
  const bool transposed = node.integer(left ? "transA" : "transB", 0) != 0;
  return left == transposed ? 0 : 1;
}

bool gemmScales(const Node& node) {
  return node.real("alpha", 1) != 1 || node.real("beta", 1) != 1;
}

double gemmProducts(const Node& node, const Shape& data, const Shape&, const Shape& output) {
  if (data.empty()) return 0;
  const std::size_t inner = node.integer("transA", 0) != 0 ? 0 : data.rank() - 1;
  return static_cast<double>(output.elementCount()) * static_cast<double>(data[inner]);
}

// MatMul: the last axis of the left operand meets the last but one of the right, or its only one.

int lastButOne(std::size_t rank) {
  return static_cast<int>(rank) - 2;
}

int last(std::size_t rank) {
  return static_cast<int>(rank) - 1;
}

int matMulOutputAxis(const Node&, std::size_t slot, const Shape& weight) {
  if (weight.rank() < 2) return 0;
  return slot == 0 ? lastButOne(weight.rank()) : last(weight.rank());
}

int matMulInputAxis(const Node&, std::size_t slot, std::size_t rank) {
  return slot == 0 || rank < 2 ? last(rank) : lastButOne(rank);
}

int matMulSummedAxis(const Node&, std::size_t slot, std::size_t rank) {
  return slot == 0 ? std::max(lastButOne(rank), 0) : last(rank);
}

double matMulProducts(const Node&, const Shape& data, const Shape&, const Shape& output) {
  if (data.empty()) return 0;
  return static_cast<double>(output.elementCount()) * static_cast<double>(data.back());
}

// Einsum: subscripts such as "ij,jk->ik".

std::string subscriptsOf(const std::string& equation, std::size_t input) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < input; ++i) {
    start = equation.find(',', start);
    if (start == std::string::npos) return {};
    ++start;
  }
  return equation.substr(start, equation.find_first_of(",-", start) - start);
}

// The first label of the weight that the result has, and no other input.
int einsumLabelAxis(const Node& node, std::size_t slot) {
  std::string equation = node.text("equation", "");
  std::erase(equation, ' ');
  const std::string own = subscriptsOf(equation, slot);
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string::npos || own.find('.') != std::string::npos) return 0;
  const std::string result = equation.substr(arrow + 2);
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    bool elsewhere = false;
    for (std::size_t other = 0; other < node.inputs.size(); ++other) {
      if (other == slot) continue;
      elsewhere |= subscriptsOf(equation, other).find(own[axis]) != std::string::npos;
    }
    if (!elsewhere && result.find(own[axis]) != std::string::npos) return static_cast<int>(axis);
  }
  return 0;
}

int einsumOutputAxis(const Node& node, std::size_t slot, const Shape& weight) {
  return std::min(einsumLabelAxis(node, slot), last(weight.rank()));
}

}  // namespace

std::vector<NamedTraits> matrixProductTraits() {
  return {{"Gemm",
           {.channels = ChannelFlow::LastAxis,
            .dataInputs = 2,
            .weightUse = WeightUse::Product,
            .weightSlots = {1},
            .biasSlot = 2,
            .outputChannelAxis = gemmOutputAxis,
            .inputChannelAxis = gemmInputAxis,
            .summedAxis = gemmSummedAxis,
            .scalesProduct = gemmScales,
            .multiplyAccumulates = gemmProducts}},
          {"MatMul",
           {.channels = ChannelFlow::LastAxis,
            .dataInputs = OperatorTraits::kAllInputs,
            .weightUse = WeightUse::Product,
            .weightSlots = {1, 0},
            .outputChannelAxis = matMulOutputAxis,
            .inputChannelAxis = matMulInputAxis,
            .summedAxis = matMulSummedAxis,
            .takesStacks = true,
            .multiplyAccumulates = matMulProducts,
            .linearInputs = {0, 1}}},
          {"Einsum",
           {.dataInputs = OperatorTraits::kAllInputs,
            .weightUse = WeightUse::Product,
            .weightSlots = {1, 0},
            .outputChannelAxis = einsumOutputAxis}}};
}

}  // namespace quantscope
