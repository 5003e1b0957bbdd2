#pragma once

#include <vector>

#include "engine/engine.h"
#include "precision/backend/backend.h"
#include "precision/layers/float_regions.h"

namespace quantscope {

/// What is known about the layers of a network on a backend before any configuration: one for all
/// its variants.
struct LayerFacts {
  LayerFacts(const Engine& engine, const Backend& backend);

  std::vector<FloatRegion> regions;  ///< those that the backend runs in float as one operator
  /// By value: true if it holds floats that depend on the model's inputs.
  std::vector<bool> floatData;
  /// By node: true if it moves data and no more; what looks up rows of weights does more.
  std::vector<bool> dataMovers;
};

}  // namespace quantscope
