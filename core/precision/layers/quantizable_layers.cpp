#include "precision/layers/quantizable_layers.h"

#include "graph/data_dependence.h"
#include "graph/operator_traits.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {

std::vector<bool> findQuantizableLayers(const ConfiguredLayers& configured) {
  const auto& [engine, backend, config, layers] = configured;
  const Graph& graph = configured.graph();
  const std::vector<bool> depends = dependsOnData(graph);
  const std::vector<bool> floats = findFloatNodes(graph, backend, config);
  std::vector<bool> quantizable;
  for (const FusedLayer& layer : layers) {
    const Node& node = graph[layer.lead()];
    const ValueId output = graph[layer.last()].outputs.at(0);
    const bool computes = isEmbedding(engine, node) || !isDataMover(graph, node);
    quantizable.push_back(computes && !floats[layer.lead().at()] && output.valid() &&
                          depends[output.at()] && mayBeFloat(graph, output));
  }
  return quantizable;
}

}  // namespace quantscope
