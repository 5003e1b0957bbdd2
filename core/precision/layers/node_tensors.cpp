#include "precision/layers/node_tensors.h"

#include <algorithm>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

const Tensor* floatConstant(const Engine& engine, const Node& node, std::size_t input) {
  if (input >= node.inputs.size() || !node.inputs[input].valid()) return nullptr;
  const Tensor* constant = engine.constant(node.inputs[input]);
  const bool usable =
      constant != nullptr && isFloat(constant->type()) && constant->elementCount() > 0;
  return usable ? constant : nullptr;
}

}  // namespace

bool mayBeFloat(const Graph& graph, ValueId value) {
  const std::optional<ElementType>& type = graph[value].type.element;
  return !type || *type == ElementType::Float32 || *type == ElementType::Float16 ||
         *type == ElementType::BFloat16;
}

bool isEmbedding(const Engine& engine, const Node& node) {
  if (operatorTraits(node).weightUse != WeightUse::Rows || node.integer("axis", 0) != 0) {
    return false;
  }
  const Tensor* table = floatConstant(engine, node, 0);
  return table != nullptr && table->shape().rank() == 2 && node.inputs.size() > 1 &&
         engine.constant(node.inputs[1]) == nullptr;
}

bool looksUpOtherwise(const Engine& engine, const Node& node) {
  return operatorTraits(node).weightUse == WeightUse::Rows && !isEmbedding(engine, node);
}

std::vector<std::size_t> weightInputs(const Engine& engine, const Node& node) {
  if (looksUpOtherwise(engine, node)) return {};
  const OperatorTraits& traits = operatorTraits(node);
  const std::size_t most = traits.weightUse == WeightUse::Gates ? traits.weightSlots.size() : 1;
  std::vector<std::size_t> weights;
  for (const std::size_t slot : traits.weightSlots) {
    if (weights.size() < most && floatConstant(engine, node, slot) != nullptr) {
      weights.push_back(slot);
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
  const std::size_t count = std::min(operatorTraits(node).dataInputs, node.inputs.size());
  const std::vector<std::size_t> weights = weightInputs(engine, node);
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    if (!node.inputs[i].valid() || std::ranges::find(weights, i) != weights.end()) continue;
    if (mayBeFloat(engine.graph(), node.inputs[i])) inputs.push_back(i);
  }
  return inputs;
}

}  // namespace quantscope
