#include "detectors/judged_layers.h"

#include "detectors/model_report_fusion.h"
#include "graph/operator_traits.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

std::vector<FusedLayer> allLayers(const Engine& engine, const QuantizedModel& model,
                                  DetectorMode mode) {
  if (mode == DetectorMode::PyTorch) {
    const PrecisionConfig everywhere;
    return findFusedLayers(engine, modelReportFusion(), ResolvedConfig(engine.graph(), everywhere));
  }
  std::vector<FusedLayer> layers;
  layers.reserve(model.layers.size());
  for (const LayerQuantization& layer : model.layers) layers.push_back(layer.layer);
  return layers;
}

// Rows of embeddings and gates of recurrences have no input channels to weigh against each other.
bool hasInputChannels(const Node& node) {
  return operatorTraits(node).inputChannelAxis != nullptr;
}

}  // namespace

JudgedLayers::JudgedLayers(const Engine& engine, const QuantizedModel& model, DetectorMode mode)
    : all(allLayers(engine, model, mode)) {
  for (const FusedLayer& layer : all) {
    const Node& node = engine.graph()[layer.lead()];
    if (mode == DetectorMode::PyTorch && !modelReportFusion().patternOf(node.op)) continue;
    if (hasInputChannels(node) && weightInput(engine, node)) weighted.push_back(layer);
  }
}

}  // namespace quantscope
