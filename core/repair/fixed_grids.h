#pragma once

#include <set>
#include <string>

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

/// What stands behind the reason why a step leaves a fixed grid alone.
inline constexpr const char* kLetItMove =
    "; take it out of the configuration's encodings to let it move";
/// Why a step does not scale a value: its grid is fixed.
std::string fixedGridOf(const std::string& value);

/// `model` is the engine under `config`.
FixedGrids findFixedGrids(const Engine& engine, const Configuration& config,
                          const QuantizedModel& model);

}  // namespace quantscope
