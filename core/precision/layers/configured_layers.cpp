#include "precision/layers/configured_layers.h"

#include "graph/data_dependence.h"
#include "graph/operator_traits.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

// Ranges that calibration finds; a type without a scale has none.
bool isStatic(const TensorPrecision& precision) {
  return hasScale(precision.type) && !precision.dynamic;
}

}  // namespace

ConfiguredLayers::ConfiguredLayers(const Engine& ofEngine, const Backend& onBackend,
                                   const ResolvedConfig& asAsked)
    : engine(ofEngine),
      backend(onBackend),
      config(asAsked),
      floats(findFloatNodes(graph(), backend, config)),
      layers(findFusedLayers(engine, backend, config, floats)),
      quantized(graph().nodes().size(), false) {
  const std::vector<bool> depends = dependsOnData(graph());
  computes.reserve(layers.size());
  for (const FusedLayer& layer : layers) {
    const std::size_t lead = layer.lead().at();
    const Node& node = graph()[layer.lead()];
    const ValueId output = graph()[layer.last()].outputs.at(0);
    const bool varies = output.valid() && depends[output.at()] && mayBeFloat(graph(), output);
    computes.push_back(varies && (isEmbedding(engine, node) || !isDataMover(graph(), node)));
    const NodePrecision& precision = config[layer.lead()];
    quantized[lead] = varies && !floats[lead] && !precision.float32 && node.domain.empty() &&
                      backend.quantizes(node.op, !isStatic(precision.activation)) &&
                      !looksUpOtherwise(engine, node);
  }
}

}  // namespace quantscope
