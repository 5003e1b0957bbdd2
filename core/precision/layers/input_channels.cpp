#include "precision/layers/input_channels.h"

#include <algorithm>

#include "base/error.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Their channels stand one after the other on the data's axis, and one group's on the weights'.
std::size_t inputChannelGroups(const Node& node) {
  if (operatorTraits(node).groupedAxis != GroupedAxis::Input) return 1;
  return static_cast<std::size_t>(node.integer("group", 1));
}

}  // namespace

int inputChannelAxis(const Node& node, std::size_t slot, std::size_t rank) {
  const auto axis = operatorTraits(node).inputChannelAxis;
  return axis == nullptr ? -1 : axis(node, slot, rank);
}

std::size_t inputChannelCount(const Node& node, std::size_t slot, const Shape& weight) {
  const int axis = inputChannelAxis(node, slot, weight.rank());
  if (axis < 0) return 0;
  return static_cast<std::size_t>(weight[static_cast<std::size_t>(axis)]) *
         inputChannelGroups(node);
}

bool meetsInputChannels(const Graph& graph, const Node& node, std::size_t slot, ValueId data,
                        int axis) {
  const OperatorTraits& traits = operatorTraits(node);
  if (traits.summedAxis == nullptr) return false;
  const std::optional<std::vector<Dimension>>& shape = graph[data].type.shape;
  if (traits.takesStacks && !shape) return true;
  return axis == traits.summedAxis(node, slot, shape ? shape->size() : 0);
}

Tensor dividedByInputChannel(const Node& node, std::size_t slot, const Tensor& weight,
                             std::span<const float> factors) {
  const Shape& shape = weight.shape();
  if (factors.size() != inputChannelCount(node, slot, shape)) {
    throw Error(ErrorCode::InvalidParameters,
                std::to_string(factors.size()) + " factors for the " +
                    std::to_string(inputChannelCount(node, slot, shape)) + " input channels of '" +
                    node.name + "'");
  }
  const auto axis = static_cast<std::size_t>(inputChannelAxis(node, slot, shape.rank()));
  const auto channels = static_cast<std::size_t>(shape[axis]);
  const auto inner = static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank()));
  const std::size_t rows = weight.elementCount() / std::max<std::size_t>(1, channels * inner);
  const std::size_t rowsPerGroup = std::max<std::size_t>(1, rows / inputChannelGroups(node));
  Tensor divided(ElementType::Float32, shape);
  const std::span<const float> from = weight.values<float>();
  const std::span<float> to = divided.mutableValues<float>();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < channels; ++c) {
      const double factor = factors[row / rowsPerGroup * channels + c];
      const std::size_t first = (row * channels + c) * inner;
      for (std::size_t i = first; i < first + inner; ++i) {
        to[i] = static_cast<float>(from[i] / factor);
      }
    }
  }
  return divided;
}

}  // namespace quantscope
