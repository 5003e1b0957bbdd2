#include "precision/layers/batch_norm_folding.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

std::vector<double> channelFactors(const Engine& engine, const Node& norm) {
  const Tensor gamma = toFloat32(*engine.constant(norm.inputs[1]));
  const Tensor variance = toFloat32(*engine.constant(norm.inputs[4]));
  const double epsilon = norm.real("epsilon", 1e-5F);
  std::vector<double> factors(gamma.elementCount());
  for (std::size_t c = 0; c < factors.size(); ++c) {
    factors[c] = gamma.values<float>()[c] /
                 std::sqrt(static_cast<double>(variance.values<float>()[c]) + epsilon);
  }
  return factors;
}

void requireChannels(const Node& lead, const Shape& weight, std::size_t statistics,
                     const Node& norm) {
  const auto axis = static_cast<std::size_t>(outputChannelAxis(lead, 1, weight));
  if (axis < weight.rank() &&
      weight[axis] * static_cast<std::int64_t>(outputChannelGroups(lead, weight)) ==
          static_cast<std::int64_t>(statistics)) {
    return;
  }
  throw Error(ErrorCode::InvalidModel,
              "the statistics of the normalization do not fit the channels of '" + lead.name + "'",
              {.file = {}, .node = norm.name, .value = {}}, "export the model again");
}

// Calls visit(element, output channel) for every weight. A grouped transposed convolution has
// weights [C_in, C_out/groups, …]: the group follows from the input channel.
template <class Visit>
void visitByOutputChannel(const Node& lead, const Shape& shape, Visit&& visit) {
  const auto axis = static_cast<std::size_t>(outputChannelAxis(lead, 1, shape));
  const std::int64_t inner = shape.elementCount(axis + 1, shape.rank());
  const std::int64_t channels = shape[axis];
  const auto groups = static_cast<std::int64_t>(outputChannelGroups(lead, shape));
  const std::int64_t inputsPerGroup = std::max<std::int64_t>(1, shape[0] / groups);
  const std::int64_t count = shape.elementCount();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = i / (inner * channels);
    const std::int64_t group = groups > 1 ? row / inputsPerGroup : 0;
    visit(static_cast<std::size_t>(i),
          static_cast<std::size_t>(group * channels + i / inner % channels));
  }
}

Tensor foldedBias(const Engine& engine, const Node& norm, const Tensor& bias,
                  const std::vector<double>& factors) {
  const Tensor beta = toFloat32(*engine.constant(norm.inputs[2]));
  const Tensor mean = toFloat32(*engine.constant(norm.inputs[3]));
  Tensor folded(ElementType::Float32, Shape{static_cast<std::int64_t>(factors.size())});
  for (std::size_t c = 0; c < factors.size(); ++c) {
    // Gemm's bias may be one number for all channels.
    const std::size_t from = bias.defined() && bias.elementCount() == factors.size() ? c : 0;
    const double before = bias.defined() ? bias.values<float>()[from] : 0.0;
    folded.mutableValues<float>()[c] = static_cast<float>(
        (before - mean.values<float>()[c]) * factors[c] + beta.values<float>()[c]);
  }
  return folded;
}

}  // namespace

FoldedWeights foldBatchNorm(const Engine& engine, NodeId lead, NodeId norm) {
  const Node& node = engine.graph()[lead];
  FoldedWeights folded;
  folded.weight = toFloat32(*engine.constant(node.inputs.at(1)));
  const std::optional<std::size_t> slot = operatorTraits(node).biasSlot;
  if (slot && node.inputs.size() > *slot) {
    const Tensor* bias = engine.constant(node.inputs[*slot]);
    if (bias != nullptr) folded.bias = toFloat32(*bias);
  }
  if (!norm.valid()) return folded;

  const Node& normalization = engine.graph()[norm];
  const std::vector<double> factors = channelFactors(engine, normalization);
  requireChannels(node, folded.weight.shape(), factors.size(), normalization);
  Tensor weight(ElementType::Float32, folded.weight.shape());
  visitByOutputChannel(node, weight.shape(), [&](std::size_t i, std::size_t channel) {
    weight.mutableValues<float>()[i] =
        static_cast<float>(folded.weight.values<float>()[i] * factors[channel]);
  });
  folded.bias = foldedBias(engine, normalization, folded.bias, factors);
  folded.weight = weight;
  return folded;
}

}  // namespace quantscope
