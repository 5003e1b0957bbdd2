#include "analysis/weight_cost.h"

#include <set>

#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

constexpr double kFloatBits = 32;
constexpr double kBytesOfScale = 4;
constexpr double kBitsInByte = 8;

}  // namespace

WeightCost weightCost(const Engine& engine, const LayerQuantization& layer) {
  const Node& node = engine.graph()[layer.layer.lead()];
  WeightCost cost;
  for (const std::size_t slot : weightInputs(engine, node)) {
    cost.elements += static_cast<double>(engine.constant(node.inputs[slot])->elementCount());
  }
  if (!layer.weight) {
    cost.bits = cost.elements * kFloatBits;
    cost.bytes = cost.bits / kBitsInByte;
    return cost;
  }
  const QuantParams& weight = *layer.weight;
  const double codeBytes = bitWidth(weight.type) / kBitsInByte;
  const double perGrid =
      (hasScale(weight.type) ? kBytesOfScale : 0) + (weight.symmetric ? 0 : codeBytes);
  cost.bits = cost.elements * bitWidth(weight.type);
  cost.bytes = cost.elements * codeBytes;
  for (const WeightParams& each : layer.weights) {
    cost.bytes += static_cast<double>(each.params.grids.size()) * perGrid;
  }
  return cost;
}

WeightCost allWeightsCost(const Engine& engine, const QuantizedModel& model) {
  std::set<ValueId> counted;
  WeightCost all;
  for (const LayerQuantization& layer : model.layers) {
    const Node& node = engine.graph()[layer.layer.lead()];
    const std::optional<std::size_t> slot = weightInput(engine, node);
    if (!slot || !counted.insert(node.inputs[*slot]).second) continue;
    const WeightCost cost = weightCost(engine, layer);
    all.elements += cost.elements;
    all.bits += cost.bits;
    all.bytes += cost.bytes;
  }
  return all;
}

}  // namespace quantscope
