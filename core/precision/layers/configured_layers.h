#pragma once

#include <vector>

#include "precision/layers/fused_patterns.h"

namespace quantscope {

/// The layers of a graph under a configuration and a backend, all of which must outlive it.
struct ConfiguredLayers {
  const Engine& engine;
  const Backend& backend;
  const ResolvedConfig& config;
  std::vector<FusedLayer> layers = findFusedLayers(engine, backend, config);

  const Graph& graph() const { return engine.graph(); }
};

}  // namespace quantscope
