#include "precision/backend/layer_tensors.h"

#include "graph/operator_traits.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {

int weightChannelAxis(const Engine& engine, const Node& node) {
  const std::optional<std::size_t> input = weightInput(engine, node);
  if (!input) return -1;
  return outputChannelAxis(node, *input, engine.constant(node.inputs[*input])->shape());
}

LayerTensors layerTensors(const Engine& engine, const Node& node) {
  return {.weights = weightInput(engine, node).has_value(),
          .activations = !activationInputs(engine, node).empty(),
          .outputs = !isEmbedding(engine, node)};
}

NodePrecision ofTensors(NodePrecision precision, const LayerTensors& tensors,
                        const NodePrecision& otherwise) {
  if (!tensors.weights) precision.weight = otherwise.weight;
  if (!tensors.activations) precision.activation = otherwise.activation;
  if (!tensors.outputs) precision.output = otherwise.output;
  return precision;
}

std::optional<NearestPrecision> nearestPrecision(const Backend& backend, const Engine& engine,
                                                 const Node& node, const NodePrecision& asked) {
  return nearestPrecision(backend, node.op, asked, layerTensors(engine, node),
                          weightChannelAxis(engine, node));
}

}  // namespace quantscope
