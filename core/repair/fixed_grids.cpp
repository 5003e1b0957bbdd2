#include "repair/fixed_grids.h"

#include "precision/parameters/resolved_encodings.h"

namespace quantscope {

std::string fixedGridOf(const std::string& value) {
  return "an encoding fixes the grid of '" + value + "'" + kLetItMove;
}

FixedGrids findFixedGrids(const Engine& engine, const Configuration& config,
                          const QuantizedModel& model) {
  FixedGrids fixed;
  if (config.encodings->empty()) return fixed;
  const Graph& graph = engine.graph();
  std::vector<FusedLayer> layers;
  std::vector<bool> quantized(graph.nodes().size(), false);
  for (const LayerQuantization& layer : model.layers) {
    layers.push_back(layer.layer);
    quantized[layer.layer.lead().at()] = layer.quantized;
  }
  const ResolvedEncodings encodings(engine, *config.encodings, layers, quantized, model.groups);
  for (const LayerQuantization& layer : model.layers) {
    const NodeId lead = layer.layer.lead();
    for (const WeightParams& weight : layer.weights) {
      if (encodings.ofWeight(lead, weight.input) != nullptr) fixed.weights.insert(lead);
    }
  }
  for (const QuantizationPoint& point : model.groups.points) {
    if (encodings.ofGroup(point.group) == nullptr) continue;
    fixed.points.insert(pointName(graph, point));
    fixed.values.insert(point.value);
  }
  return fixed;
}

}  // namespace quantscope
