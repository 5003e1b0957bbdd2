#pragma once

#include "calibration/observers/observations.h"
#include "precision/parameters/layer_weights.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {

// What quantization parameters depend on, as keys of a ParameterCache. A key is invalid where what
// it would be made of has no id: then nothing is kept.

/// Of groupParams() with these arguments.
ContentId groupParamsKey(const Engine& engine, const ObserverGroups& groups, std::size_t group,
                         const Backend& backend, Convention convention,
                         const Observations& observations);

/// Of quantizeWeights() with these arguments.
ContentId layerWeightsKey(const Engine& engine, const FusedLayer& layer,
                          const TensorPrecision& precision, const WeightRules& rules,
                          const std::optional<QuantParams>& activation,
                          const WeightOverrides& overrides);

/// Of fakeQuantize() with these arguments, of a constant of the engine's graph.
ContentId roundedConstantKey(const Engine& engine, ValueId constant, const QuantParams& params);

}  // namespace quantscope
