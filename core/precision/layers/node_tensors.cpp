#include "precision/layers/node_tensors.h"

#include <algorithm>
#include <array>
#include <string>

namespace quantscope {
namespace {

constexpr std::array<std::string_view, 3> kRecurrent{"LSTM", "GRU", "RNN"};
constexpr std::array<std::string_view, 12> kAllInputs{
    "Add", "Sub", "Mul", "Div", "Sum", "Mean", "Max", "Min", "Concat", "MatMul", "Einsum", "Where"};
constexpr std::array<std::string_view, 3> kTwoInputs{"Conv", "ConvTranspose", "Gemm"};

template <std::size_t N>
bool isOneOf(std::string_view op, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, op) != list.end();
}

const Tensor* floatConstant(const Engine& engine, const Node& node, std::size_t input) {
  if (input >= node.inputs.size() || !node.inputs[input].valid()) return nullptr;
  const Tensor* constant = engine.constant(node.inputs[input]);
  const bool usable =
      constant != nullptr && isFloat(constant->type()) && constant->elementCount() > 0;
  return usable ? constant : nullptr;
}

// The subscripts of an Einsum: "ij,jk->ik" without spaces.
std::string equationOf(const Node& node) {
  std::string text = node.text("equation", "");
  std::erase(text, ' ');
  return text;
}

std::string subscriptsOf(const std::string& equation, std::size_t input) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < input; ++i) {
    start = equation.find(',', start);
    if (start == std::string::npos) return {};
    ++start;
  }
  return equation.substr(start, equation.find_first_of(",-", start) - start);
}

// A label of the weight that the result has, and no other input.
int einsumChannelAxis(const Node& node, std::size_t input) {
  const std::string equation = equationOf(node);
  const std::string own = subscriptsOf(equation, input);
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string::npos || own.find('.') != std::string::npos) return 0;
  const std::string result = equation.substr(arrow + 2);
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    bool elsewhere = false;
    for (std::size_t other = 0; other < node.inputs.size(); ++other) {
      if (other == input) continue;
      elsewhere |= subscriptsOf(equation, other).find(own[axis]) != std::string::npos;
    }
    if (!elsewhere && result.find(own[axis]) != std::string::npos) return static_cast<int>(axis);
  }
  return 0;
}

// Weights [C_in, C_out/groups, …] with an input channel for each output channel.
bool isDepthwiseTransposed(const Node& node, const Shape& weight) {
  return node.integer("group", 1) > 1 && weight.rank() > 1 && weight[1] == 1 &&
         weight[0] == node.integer("group", 1);
}

}  // namespace

bool mayBeFloat(const Graph& graph, ValueId value) {
  const std::optional<ElementType>& type = graph[value].type.element;
  return !type || *type == ElementType::Float32 || *type == ElementType::Float16 ||
         *type == ElementType::BFloat16;
}

bool isEmbedding(const Engine& engine, const Node& node) {
  if (node.op != "Gather" || node.integer("axis", 0) != 0) return false;
  const Tensor* table = floatConstant(engine, node, 0);
  return table != nullptr && table->shape().rank() == 2 && node.inputs.size() > 1 &&
         engine.constant(node.inputs[1]) == nullptr;
}

std::vector<std::size_t> weightInputs(const Engine& engine, const Node& node) {
  if (isEmbedding(engine, node)) return {0};
  std::vector<std::size_t> candidates;
  if (isOneOf(node.op, kTwoInputs)) candidates = {1};
  if (node.op == "MatMul" || node.op == "Einsum") candidates = {1, 0};
  if (isOneOf(node.op, kRecurrent)) candidates = {1, 2};
  const std::size_t most = isOneOf(node.op, kRecurrent) ? 2 : 1;
  std::vector<std::size_t> weights;
  for (const std::size_t input : candidates) {
    if (weights.size() < most && floatConstant(engine, node, input) != nullptr) {
      weights.push_back(input);
    }
  }
  return weights;
}

std::optional<std::size_t> weightInput(const Engine& engine, const Node& node) {
  const std::vector<std::size_t> inputs = weightInputs(engine, node);
  return inputs.empty() ? std::nullopt : std::optional(inputs.front());
}

std::vector<std::size_t> activationInputs(const Engine& engine, const Node& node) {
  if (isEmbedding(engine, node)) return {};
  std::size_t count = 1;
  if (isOneOf(node.op, kAllInputs)) count = node.inputs.size();
  if (isOneOf(node.op, kTwoInputs)) count = 2;
  const std::vector<std::size_t> weights = weightInputs(engine, node);
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < std::min(count, node.inputs.size()); ++i) {
    if (!node.inputs[i].valid() || std::ranges::find(weights, i) != weights.end()) continue;
    if (mayBeFloat(engine.graph(), node.inputs[i])) inputs.push_back(i);
  }
  return inputs;
}

int outputChannelAxis(const Node& node, std::size_t input, const Shape& weight) {
  const int rank = static_cast<int>(weight.rank());
  if (node.op == "ConvTranspose") return isDepthwiseTransposed(node, weight) ? 0 : 1;
  if (isOneOf(node.op, kRecurrent)) return 1;
  if (node.op == "Gemm") return node.integer("transB", 0) != 0 ? 0 : 1;
  if (node.op == "MatMul") return rank < 2 ? 0 : (input == 0 ? rank - 2 : rank - 1);
  if (node.op == "Einsum") return std::min(einsumChannelAxis(node, input), rank - 1);
  return 0;
}

std::size_t outputGroups(const Node& node, const Shape& weight) {
  if (node.op != "ConvTranspose" || isDepthwiseTransposed(node, weight)) return 1;
  return static_cast<std::size_t>(std::max<std::int64_t>(1, node.integer("group", 1)));
}

}  // namespace quantscope
