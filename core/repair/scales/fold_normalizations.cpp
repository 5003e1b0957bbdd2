#include "repair/scales/fold_normalizations.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace quantscope {
namespace {

Tensor filled(std::size_t count, float value) {
  Tensor tensor(ElementType::Float32, Shape{static_cast<std::int64_t>(count)});
  for (float& each : tensor.mutableValues<float>()) each = value;
  return tensor;
}

NormalStatistics statisticsOf(const Engine& engine, const Node& norm) {
  const Tensor mean = toFloat32(*engine.constant(norm.inputs[2]));
  const Tensor deviation = toFloat32(*engine.constant(norm.inputs[1]));
  NormalStatistics statistics;
  for (std::size_t c = 0; c < mean.elementCount(); ++c) {
    statistics.mean.push_back(mean.values<float>()[c]);
    statistics.deviation.push_back(std::abs(deviation.values<float>()[c]));
  }
  return statistics;
}

void neutralize(const Graph& graph, NodeId norm, std::size_t channels, Overlay& overlay) {
  const std::array<float, 4> values{1, 0, 0, neutralVariance(graph[norm].real("epsilon", 1e-5F))};
  const std::array<const char*, 4> names{"scale", "B", "mean", "var"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    overlay.constants.push_back({norm, i + 1, filled(channels, values[i]), names[i]});
  }
}

// It passes its input on, bit for bit: a repair has folded it before.
bool isNeutral(const Engine& engine, const Node& norm) {
  const float epsilon = norm.real("epsilon", 1e-5F);
  const auto isAlways = [&](std::size_t input, float value, float shift) {
    const Tensor constant = toFloat32(*engine.constant(norm.inputs[input]));
    return std::ranges::all_of(constant.values<float>(),
                               [&](float each) { return each + shift == value; });
  };
  return isAlways(1, 1, 0) && isAlways(2, 0, 0) && isAlways(3, 0, 0) && isAlways(4, 1, epsilon);
}

bool lacksBias(const Graph& graph, const InputPlace& place) {
  const std::vector<ValueId>& inputs = graph[place.node].inputs;
  return place.slot >= inputs.size() || !inputs[place.slot].valid();
}

}  // namespace

float neutralVariance(float epsilon) {
  float variance = 1 - epsilon;
  // Two steps are enough: neighbours of 1 − ε lie no closer than those below 1.
  for (int i = 0; i < 2 && variance + epsilon < 1; ++i) variance = std::nextafter(variance, 2.0F);
  for (int i = 0; i < 2 && variance + epsilon > 1; ++i) variance = std::nextafter(variance, 0.0F);
  return variance;
}

Overlay foldNormalizations(const Engine& engine, const QuantizedModel& model,
                           const LinearLayers& layers, const FixedGrids& fixed) {
  const Graph& graph = engine.graph();
  Overlay overlay;
  for (const LinearLayer& layer : layers.layers) {
    const FusedLayer& fused = model.layers[layer.index].layer;
    const NodeId norm = normalizationOf(graph, fused);
    if (norm.valid() && !isNeutral(engine, graph[norm])) {
      FoldedWeights folded = foldLayer(engine, fused, layer.weightSlot);
      overlay.constants.push_back({layer.lead, layer.weightSlot, folded.weight, "weight"});
      // A bias that all channels share is none to repair, but takes the folded one up.
      const InputPlace place = biasPlace(engine, fused).value();
      overlay.constants.push_back({place.node, place.slot, folded.bias, "bias"});
      overlay.statistics.emplace_back(layer.lead, statisticsOf(engine, graph[norm]));
      if (fixed.weights.contains(layer.lead)) {
        overlay.grids.push_back({layer.lead, layer.weightSlot, weightParamsOf(model, layer)});
      }
      neutralize(graph, norm, layer.outputs, overlay);
    } else if (layer.bias && lacksBias(graph, *layer.bias)) {
      overlay.constants.push_back(
          {layer.bias->node, layer.bias->slot, filled(layer.outputs, 0), "bias"});
    }
  }
  return overlay;
}

}  // namespace quantscope
