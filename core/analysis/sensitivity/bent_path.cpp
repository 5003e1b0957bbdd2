#include "analysis/sensitivity/bent_path.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "engine/gradients/gradient_registry.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Nodes that are looked at. Audio networks have some twenty between a filter and the logarithm of
// its power; to end in between, behind the square, is worse than not to begin.
constexpr std::size_t kLongestPath = 64;

std::unique_ptr<Gradient> gradientOf(const Engine& engine, const Node& node) {
  const GradientFactory factory = gradientRegistry().find(node);
  if (factory == nullptr) return nullptr;
  try {
    return factory(node, engine.graph());
  } catch (const Error&) {
    return nullptr;
  }
}

// True if ∂output/∂input depends on that input; nullopt if there is no gradient.
std::optional<bool> bends(const Engine& engine, const Node& node, ValueId input) {
  const std::unique_ptr<Gradient> gradient = gradientOf(engine, node);
  if (gradient == nullptr || gradient->vanishes()) return std::nullopt;
  std::vector<char> wanted;
  for (const ValueId each : node.inputs) wanted.push_back(each == input ? 1 : 0);
  if (gradient->readsOutput(0)) return true;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != 0 && gradient->readsInput(i, wanted)) return true;
  }
  return false;
}

// The only reader of a value; none if several nodes read it.
NodeId onlyReader(const Graph& graph, ValueId value) {
  NodeId only;
  for (const NodeId reader : graph[value].consumers) {
    if (operatorTraits(graph[reader]).readsShapeOnly) continue;
    if (only.valid()) return {};
    only = reader;
  }
  return only;
}

bool isSmall(const Node& node) {
  const WeightUse use = operatorTraits(node).weightUse;
  return use != WeightUse::Product && use != WeightUse::Gates;
}

}  // namespace

std::vector<NodeId> bentPathBehind(const Engine& engine, ValueId value,
                                   std::span<const NodeId> changed) {
  const Graph& graph = engine.graph();
  std::vector<NodeId> path;
  std::size_t bent = 0;
  while (path.size() < kLongestPath) {
    const bool isOutput = std::ranges::find(graph.outputs(), value) != graph.outputs().end();
    const NodeId reader = onlyReader(graph, value);
    if (isOutput || !reader.valid()) break;
    const Node& node = graph[reader];
    const bool runs = engine.kernel(reader) != nullptr && node.block == Graph::mainBlock() &&
                      node.outputs.size() == 1 && isSmall(node);
    if (!runs) break;
    const std::optional<bool> bending = bends(engine, node, value);
    if (!bending) break;
    path.push_back(reader);
    const bool isChanged = std::ranges::find(changed, reader) != changed.end();
    if (*bending || isChanged) bent = path.size();
    value = node.outputs[0];
  }
  path.resize(bent);
  return path;
}

}  // namespace quantscope
