#include "analysis/weight_cost.h"

#include <algorithm>
#include <map>
#include <vector>

#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

constexpr double kFloatBits = 32;
constexpr double kBytesOfScale = 4;
constexpr double kBitsInByte = 8;

// True if two layers read the same weight in the same form.
bool sameWeights(const LayerQuantization& one, const LayerQuantization& other) {
  return std::ranges::equal(one.weights, other.weights, {}, &WeightParams::params,
                            &WeightParams::params);
}

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
  std::map<ValueId, std::vector<const LayerQuantization*>> forms;
  WeightCost all;
  for (const LayerQuantization& layer : model.layers) {
    const Node& node = engine.graph()[layer.layer.lead()];
    const std::optional<std::size_t> slot = weightInput(engine, node);
    if (!slot) continue;
    std::vector<const LayerQuantization*>& known = forms[node.inputs[*slot]];
    const auto same = [&](const LayerQuantization* other) { return sameWeights(*other, layer); };
    if (std::ranges::any_of(known, same)) continue;
    const WeightCost cost = weightCost(engine, layer);
    if (known.empty()) all.elements += cost.elements;
    all.bits += cost.bits;
    all.bytes += cost.bytes;
    known.push_back(&layer);
  }
  return all;
}

}  // namespace quantscope
