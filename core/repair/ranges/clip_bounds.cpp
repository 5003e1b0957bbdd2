#include "repair/ranges/clip_bounds.h"

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

std::optional<float> boundOf(const Engine& engine, const Node& node, const char* attribute,
                             std::size_t slot) {
  if (node.has(attribute)) return node.real(attribute, 0);
  if (slot >= node.inputs.size() || !node.inputs[slot].valid()) return std::nullopt;
  const Tensor* constant = engine.constant(node.inputs[slot]);
  if (constant == nullptr || constant->type() != ElementType::Float32 ||
      constant->elementCount() != 1) {
    return std::nullopt;
  }
  return constant->values<float>()[0];
}

}  // namespace

std::optional<double> clipFromZero(const Engine& engine, const Node& node) {
  if (!operatorTraits(node).clips) return std::nullopt;
  const std::optional<float> low = boundOf(engine, node, "min", 1);
  const std::optional<float> high = boundOf(engine, node, "max", 2);
  if (!low || *low != 0 || !high || !(*high > 0)) return std::nullopt;
  return *high;
}

}  // namespace quantscope
