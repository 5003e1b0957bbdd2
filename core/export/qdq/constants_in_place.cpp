#include "export/qdq/constants_in_place.h"

namespace quantscope {
std::map<std::pair<NodeId, std::size_t>, PlacedParams> findPlacedParams(
    const Engine& engine, const QuantizedModel& model) {
  std::map<std::pair<NodeId, std::size_t>, PlacedParams> placed;
  for (const LayerQuantization& layer : model.layers) {
    if (!layer.quantized) continue;
    for (const std::size_t index : layer.edges) {
      const QuantizationPoint& point = model.groups.points[index];
      const std::optional<QuantParams>& params = paramsOf(model, index);
      if (!params || engine.constant(point.value) == nullptr) continue;
      placed[{point.consumer, point.input}].grid = &*params;
    }
    for (const WeightParams& weight : layer.weights) {
      placed[{layer.layer.lead(), weight.input}].grid = &weight.params;
    }
    if (layer.bias) {
      const bool integers = isStaticInteger(layer.weight) && isStaticInteger(layer.activation);
      placed[{layer.bias->holder, layer.bias->input}] = {nullptr, &*layer.bias, integers};
    }
  }
  return placed;
}

}  // namespace quantscope
