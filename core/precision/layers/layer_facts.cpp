#include "precision/layers/layer_facts.h"

#include "graph/data_dependence.h"
#include "graph/operator_traits.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {

LayerFacts::LayerFacts(const Engine& engine, const Backend& backend)
    : regions(findFloatRegions(engine.graph(), backend.floatRegions)),
      floatData(dependsOnData(engine.graph())) {
  const Graph& graph = engine.graph();
  for (std::size_t i = 0; i < floatData.size(); ++i) {
    if (floatData[i]) floatData[i] = mayBeFloat(graph, ValueId(i));
  }
  dataMovers.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) {
    dataMovers.push_back(isDataMover(graph, node) && !isEmbedding(engine, node));
  }
}

}  // namespace quantscope
