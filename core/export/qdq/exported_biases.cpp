#include "export/qdq/exported_biases.h"

#include <algorithm>

#include "export/qdq/needed_nodes.h"

namespace quantscope {
namespace {

/// Nullopt where the layer has no such bias.
std::optional<IntegerBias> integerBias(const Engine& engine, const QuantizedModel& model,
                                       std::size_t index) {
  const LayerQuantization& layer = model.layers[index];
  if (!layer.quantized || !layer.bias || layer.bias->bits != 0 || layer.weights.empty()) {
    return std::nullopt;
  }
  const Tensor* bias = placedConstant(model.applied[layer.bias->holder], layer.bias->input);
  const WeightParams& weight = layer.weights.front();
  if (bias == nullptr || !layer.activation) return std::nullopt;
  const Node& lead = engine.graph()[layer.layer.lead()];
  if (!hasIntegerBias(engine, lead, weight.input, weight.params, *layer.activation, *bias)) {
    return std::nullopt;
  }
  if (biasBits(*layer.activation) > 32) return std::nullopt;
  const float inputScale = layer.activation->grids.front().scale;
  IntegerBias result{index, {}, weight.params, 0, {}};
  result.raised = fitScalesToBias(*bias, inputScale, result.weight);
  result.bias = quantizeBias(*bias, inputScale, result.weight, 32);
  const bool fits = result.bias.overflows == 0 &&
                    std::ranges::all_of(result.bias.scales, [](float scale) { return scale > 0; });
  return fits ? std::optional(std::move(result)) : std::nullopt;
}

void replaceConstant(NodeQuantization& node, std::size_t input, Tensor tensor) {
  for (auto& [index, constant] : node.constants) {
    if (index == input) constant = std::move(tensor);
  }
}

// On a coarser grid, which holds the bias: only channels whose weights are tiny beside it change.
void raiseScales(const IntegerBias& made, QuantizedModel& changed) {
  LayerQuantization& layer = changed.layers[made.layer];
  layer.weights.front().params = made.weight;
  layer.weight = made.weight;
  if (!made.rounded.defined()) return;  // rounded while it runs
  const NodeId lead = layer.layer.lead();
  NodeQuantization node = changed.applied[lead];
  replaceConstant(node, layer.weights.front().input, made.rounded);
  changed.applied.set(lead, std::move(node));
}

}  // namespace

std::vector<IntegerBias> findIntegerBiases(const Engine& engine, const QuantizedModel& model) {
  std::vector<IntegerBias> found;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (auto bias = integerBias(engine, model, i)) found.push_back(std::move(*bias));
  }
  return found;
}

void takeRaisedWeights(const QuantizedModel& fitted, std::span<IntegerBias> biases) {
  for (IntegerBias& bias : biases) {
    if (bias.raised == 0) continue;
    const LayerQuantization& layer = fitted.layers[bias.layer];
    const Tensor* rounded =
        placedConstant(fitted.applied[layer.layer.lead()], layer.weights.front().input);
    if (rounded != nullptr) bias.rounded = *rounded;
  }
}

QuantizedModel withIntegerBiases(const QuantizedModel& model, std::span<const IntegerBias> biases) {
  QuantizedModel changed = model;
  for (const IntegerBias& made : biases) {
    if (made.raised > 0) raiseScales(made, changed);
    BiasParams& params = *changed.layers[made.layer].bias;
    NodeQuantization node = changed.applied[params.holder];
    replaceConstant(node, params.input, made.bias.values);
    changed.applied.set(params.holder, std::move(node));
    params.bits = 32;
    params.scales = made.bias.scales;
  }
  return changed;
}

ExportLosses lossesOfBiases(const Graph& graph, const QuantizedModel& model,
                            std::span<const IntegerBias> biases, bool settled) {
  ExportLosses losses;
  for (const IntegerBias& made : biases) {
    const std::string& name = graph[model.layers[made.layer].layer.lead()].name;
    losses.push_back(
        {name, settled
                   ? "its bias is int32, as runtimes with integer kernels need it; it was shown "
                     "in float"
                   : "its bias becomes int32, as runtimes with integer kernels need it, where "
                     "that changes no class and costs at most 1 dB"});
    if (made.raised == 0) continue;
    losses.push_back({name, "scales of its weights are larger than shown, so that the bias fits"});
  }
  return losses;
}

}  // namespace quantscope
