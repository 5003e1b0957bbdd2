#include <optional>
#include <vector>

#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/indexing/gather.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

// Indices of the true entries; a condition shorter than the axis drops the rest.
std::vector<std::int64_t> chosenIndices(std::span<const bool> condition, std::int64_t extent) {
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < condition.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (condition[i] && index < extent) chosen.push_back(index);
  }
  return chosen;
}

Tensor compressed(const Tensor& x, std::span<const bool> condition, std::size_t axis) {
  const auto chosen = chosenIndices(condition, x.shape()[axis]);
  const Shape count{static_cast<std::int64_t>(chosen.size())};
  return gathered(x, chosen, count, axis);
}

std::unique_ptr<Kernel> compress(const Node& node, const Graph& /*graph*/) {
  std::optional<std::int64_t> axis;
  if (node.has("axis")) axis = node.integer("axis", 0);
  return makeKernel(
      [axis](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const std::span<const bool> condition = requiredInput(inputs, 1).values<bool>();
        if (axis) {
          const std::size_t along = normalizeAxis(*axis, x.shape().rank());
          setOutput(outputs, 0, compressed(x, condition, along));
        } else {
          const Tensor flat = x.reshaped({static_cast<std::int64_t>(x.elementCount())});
          setOutput(outputs, 0, compressed(flat, condition, 0));
        }
      },
      Kernel::InputLayout::Plain, true);
}

}  // namespace

void registerCompress(OperatorRegistry& registry) {
  registry.add("Compress", {9, 11}, compress);
}

}  // namespace quantscope
