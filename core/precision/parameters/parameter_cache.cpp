#include "precision/parameters/parameter_cache.h"

#include <climits>

#include "precision/layers/layer_facts.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {
namespace {

std::size_t heldBytes(const QuantParams& params) {
  return sizeof(QuantParams) + params.grids.capacity() * sizeof(Grid);
}

std::size_t heldBytes(const LayerFacts& facts) {
  std::size_t bytes =
      sizeof(LayerFacts) + (facts.floatData.size() + facts.dataMovers.size()) / CHAR_BIT;
  for (const FloatRegion& region : facts.regions) {
    bytes += sizeof(FloatRegion) + region.nodes.size() * sizeof(NodeId);
  }
  return bytes;
}

std::size_t heldBytes(const GroupParams& group) {
  return group.params ? heldBytes(*group.params) : sizeof(GroupParams);
}

std::size_t heldBytes(const LayerWeights& weights) {
  std::size_t bytes = sizeof(LayerWeights);
  for (const PlacedConstant& constant : weights.constants) bytes += constant.tensor.byteSize();
  for (const WeightParams& weight : weights.weights) bytes += heldBytes(weight.params);
  return bytes;
}

std::size_t heldBytes(const AppliedNode& node) {
  std::size_t bytes = sizeof(AppliedNode);
  for (const auto& [input, tensor] : node.quantization.constants) bytes += tensor.byteSize();
  for (const auto& [input, params] : node.quantization.inputs) bytes += heldBytes(params);
  for (const auto& [output, params] : node.quantization.outputs) bytes += heldBytes(params);
  return bytes;
}

// Counts the grids of all weights; most of a model is shared with other entries and not counted.
std::size_t heldBytes(const QuantizedModel& model) {
  std::size_t bytes =
      sizeof(QuantizedModel) + model.groups.points.size() * sizeof(QuantizationPoint);
  for (const LayerQuantization& layer : model.layers) {
    bytes += sizeof(LayerQuantization) + layer.layer.members.size() * sizeof(NodeId);
    for (const WeightParams& weight : layer.weights) bytes += heldBytes(weight.params);
  }
  return bytes;
}

}  // namespace

std::size_t byteSize(const AnyParameters& parameters) {
  return std::visit([](const auto& entry) { return heldBytes(*entry); }, parameters);
}

}  // namespace quantscope
