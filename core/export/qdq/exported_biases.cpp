#include "export/qdq/exported_biases.h"

#include <algorithm>

#include "export/qdq/needed_nodes.h"
#include "precision/parameters/bias_quantization.h"

namespace quantscope {
namespace {

/// The integer form of a layer's float bias; nullopt where its grid does not hold it.
std::optional<QuantizedBias> integerBias(const Engine& engine, const QuantizedModel& model,
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
  QuantizedBias quantized = quantizeBias(*bias, inputScale, weight.params, 32);
  const bool fits = quantized.overflows == 0 &&
                    std::ranges::all_of(quantized.scales, [](float scale) { return scale > 0; });
  return fits ? std::optional(std::move(quantized)) : std::nullopt;
}

void replaceConstant(NodeQuantization& node, std::size_t input, Tensor tensor) {
  for (auto& [index, constant] : node.constants) {
    if (index == input) constant = std::move(tensor);
  }
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
    std::optional<QuantizedBias> bias = integerBias(engine, model, model.layers[index]);
    BiasParams& params = *changed.layers[index].bias;
    NodeQuantization node = changed.applied[params.holder];
    replaceConstant(node, params.input, std::move(bias->values));
    changed.applied.set(params.holder, std::move(node));
    params.bits = 32;
    params.scales = std::move(bias->scales);
  }
  return changed;
}

ExportLosses lossesOfBiases(const Graph& graph, const QuantizedModel& model,
                            const std::vector<std::size_t>& layers) {
  ExportLosses losses;
  for (const std::size_t index : layers) {
    losses.push_back({graph[model.layers[index].layer.lead()].name,
                      "its bias is int32, as runtimes with integer kernels need it; it was shown "
                      "in float"});
  }
  return losses;
}

}  // namespace quantscope
