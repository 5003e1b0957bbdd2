#pragma once

#include <set>

#include "precision/config/configuration.h"
#include "precision/config/point_name.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Grids that encodings of a configuration fix. Trainings start from them; other steps keep them.
struct FixedGrids {
  std::set<NodeId> weights;    ///< of the layers that these nodes lead
  std::set<PointName> points;  ///< those that share the grid of another one too
  std::set<ValueId> values;    ///< at these points
};

/// `model` is the engine under `config`.
FixedGrids findFixedGrids(const Engine& engine, const Configuration& config,
                          const QuantizedModel& model);

}  // namespace quantscope
