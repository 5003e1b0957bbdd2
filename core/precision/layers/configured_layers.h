#pragma once

#include <memory>
#include <vector>

#include "precision/layers/fused_patterns.h"
#include "precision/layers/layer_facts.h"

namespace quantscope {

/// The layers of a graph under a configuration and a backend, all of which must outlive it.
struct ConfiguredLayers {
  /// `known` is LayerFacts(ofEngine, onBackend); null where it still has to be found.
  ConfiguredLayers(const Engine& ofEngine, const Backend& onBackend, const ResolvedConfig& asAsked,
                   std::shared_ptr<const LayerFacts> known = nullptr);

  const Graph& graph() const { return engine.graph(); }
  /// True if some machine could quantize the layer: it computes, and the backend does not run it as
  /// a part of a larger float operator.
  bool quantizable(std::size_t layer) const {
    return computes[layer] && !floats[layers[layer].lead().at()];
  }

  const Engine& engine;
  const Backend& backend;
  const ResolvedConfig& config;
  std::shared_ptr<const LayerFacts> facts;
  std::vector<bool> floats;  ///< by node: findFloatNodes()
  std::vector<FusedLayer> layers;
  /// By layer: true if its output is a float value that depends on the model's inputs, and it does
  /// more than move data.
  std::vector<bool> computes;
  /// By node: true if it leads a layer that is quantized: the backend can, the configuration does
  /// not say "fp32", and its data are floats that depend on the model's inputs.
  std::vector<bool> quantized;
};

}  // namespace quantscope
