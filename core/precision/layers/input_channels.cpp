#include "precision/layers/input_channels.h"

#include <algorithm>

#include "base/error.h"

namespace quantscope {
namespace {

// Of a convolution, whose weights have only one group's input channels on their axis.
std::size_t convolutionGroups(const Node& node) {
  return node.op == "Conv" ? static_cast<std::size_t>(node.integer("group", 1)) : 1;
}

}  // namespace

int inputChannelAxis(const Node& node, std::size_t input, std::size_t rank) {
  const int last = static_cast<int>(rank) - 1;
  if (node.op == "Conv") return 1;
  if (node.op == "ConvTranspose") return 0;
  if (node.op == "Gemm") return node.integer("transB", 0) != 0 ? 1 : 0;
  return input == 0 || rank < 2 ? last : last - 1;
}

std::size_t inputChannelCount(const Node& node, std::size_t input, const Shape& weight) {
  const auto axis = static_cast<std::size_t>(inputChannelAxis(node, input, weight.rank()));
  return static_cast<std::size_t>(weight[axis]) * convolutionGroups(node);
}

bool meetsInputChannels(const Graph& graph, const Node& node, std::size_t input, ValueId data,
                        int axis) {
  if (node.op == "Conv" || node.op == "ConvTranspose") return axis == 1;
  if (node.op == "Gemm") {
    const bool left = input != 0;
    const bool transposed = node.integer(left ? "transA" : "transB", 0) != 0;
    return axis == (left == transposed ? 0 : 1);
  }
  const std::optional<std::vector<Dimension>>& shape = graph[data].type.shape;
  if (!shape) return true;
  const int last = static_cast<int>(shape->size()) - 1;
  return axis == (input == 0 ? std::max(last - 1, 0) : last);
}

Tensor dividedByInputChannel(const Node& node, std::size_t input, const Tensor& weight,
                             std::span<const float> factors) {
  const Shape& shape = weight.shape();
  if (factors.size() != inputChannelCount(node, input, shape)) {
    throw Error(ErrorCode::InvalidParameters,
                std::to_string(factors.size()) + " factors for the " +
                    std::to_string(inputChannelCount(node, input, shape)) + " input channels of '" +
                    node.name + "'");
  }
  const auto axis = static_cast<std::size_t>(inputChannelAxis(node, input, shape.rank()));
  const auto channels = static_cast<std::size_t>(shape[axis]);
  const auto inner = static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank()));
  const std::size_t rows = weight.elementCount() / std::max<std::size_t>(1, channels * inner);
  const std::size_t rowsPerGroup = std::max<std::size_t>(1, rows / convolutionGroups(node));
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
