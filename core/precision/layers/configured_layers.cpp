#include "precision/layers/configured_layers.h"

#include <utility>

#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

// Ranges that calibration finds; a type without a scale has none.
bool isStatic(const TensorPrecision& precision) {
  return hasScale(precision.type) && !precision.dynamic;
}

}  // namespace

ConfiguredLayers::ConfiguredLayers(const Engine& ofEngine, const Backend& onBackend,
                                   const ResolvedConfig& asAsked,
                                   std::shared_ptr<const LayerFacts> known)
    : engine(ofEngine),
      backend(onBackend),
      config(asAsked),
      facts(known ? std::move(known) : std::make_shared<const LayerFacts>(engine, backend)),
      floats(findFloatNodes(graph(), facts->regions, config)),
      layers(findFusedLayers(engine, backend, config, floats)),
      quantized(graph().nodes().size(), false) {
  computes.reserve(layers.size());
  for (const FusedLayer& layer : layers) {
    const std::size_t lead = layer.lead().at();
    const Node& node = graph()[layer.lead()];
    const ValueId output = graph()[layer.last()].outputs.at(0);
    const bool varies = output.valid() && facts->floatData[output.at()];
    computes.push_back(varies && !facts->dataMovers[lead]);
    const NodePrecision& precision = config[layer.lead()];
    quantized[lead] = varies && !floats[lead] && !precision.float32 && node.domain.empty() &&
                      backend.quantizes(node.op, !isStatic(precision.activation)) &&
                      !looksUpOtherwise(engine, node);
  }
}

}  // namespace quantscope
