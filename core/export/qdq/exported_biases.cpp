#include "export/qdq/exported_biases.h"

#include <algorithm>

#include "engine/fake_quantize_tensor.h"
#include "export/qdq/needed_nodes.h"
#include "precision/parameters/bias_quantization.h"

namespace quantscope {
namespace {

/// A layer's float bias on an integer grid.
struct IntegerBias {
  QuantizedBias bias;
  QuantParams weight;      ///< with the scales raised where the bias needs it
  std::size_t raised = 0;  ///< scales
};

/// Nullopt where the layer has no such grid.
std::optional<IntegerBias> integerBias(const Engine& engine, const QuantizedModel& model,
                                       const LayerQuantization& layer) {
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
  IntegerBias result{{}, weight.params, 0};
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
void raiseScales(const Engine& engine, QuantParams params, LayerQuantization& layer,
                 AppliedQuantization& applied) {
  WeightParams& weight = layer.weights.front();
  weight.params = std::move(params);
  layer.weight = weight.params;
  const NodeId lead = layer.layer.lead();
  NodeQuantization node = applied[lead];
  const Tensor* rounded = placedConstant(node, weight.input);
  const Tensor original =
      rounded != nullptr ? *rounded
                         : toFloat32(*engine.constant(engine.graph()[lead].inputs[weight.input]));
  replaceConstant(node, weight.input, fakeQuantize(original, weight.params));
  applied.set(lead, std::move(node));
}

}  // namespace

std::vector<std::size_t> findFittingBiases(const Engine& engine, const QuantizedModel& model) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (integerBias(engine, model, model.layers[i])) found.push_back(i);
  }
  return found;
}

QuantizedModel withIntegerBiases(const Engine& engine, const QuantizedModel& model,
                                 const std::vector<std::size_t>& layers) {
  QuantizedModel changed = model;
  for (const std::size_t index : layers) {
    std::optional<IntegerBias> made = integerBias(engine, model, model.layers[index]);
    LayerQuantization& layer = changed.layers[index];
    if (made->raised > 0) raiseScales(engine, std::move(made->weight), layer, changed.applied);
    BiasParams& params = *layer.bias;
    NodeQuantization node = changed.applied[params.holder];
    replaceConstant(node, params.input, std::move(made->bias.values));
    changed.applied.set(params.holder, std::move(node));
    params.bits = 32;
    params.scales = std::move(made->bias.scales);
  }
  return changed;
}

ExportLosses lossesOfBiases(const Engine& engine, const QuantizedModel& model,
                            const std::vector<std::size_t>& layers, bool settled) {
  ExportLosses losses;
  for (const std::size_t index : layers) {
    const LayerQuantization& layer = model.layers[index];
    const std::string& name = engine.graph()[layer.layer.lead()].name;
    losses.push_back(
        {name, settled
                   ? "its bias is int32, as runtimes with integer kernels need it; it was shown "
                     "in float"
                   : "its bias becomes int32, as runtimes with integer kernels need it, where "
                     "that changes no class and costs at most 1 dB"});
    if (integerBias(engine, model, layer)->raised > 0) {
      losses.push_back(
          {name, "scales of its weights are larger than shown, so that the bias fits"});
    }
  }
  return losses;
}

}  // namespace quantscope
