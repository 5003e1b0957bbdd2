#pragma once

#include "calibration/observers/observations.h"
#include "precision/parameters/layer_weights.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {

// The inputs of quantization parameters, as keys of a ParameterCache. A key is invalid if one of
// its inputs has no id; the result is then not cached.

/// The key of LayerFacts with these arguments.
ContentId layerFactsKey(const Engine& engine, const Backend& backend);

/// The key of groupParams() with these arguments.
ContentId groupParamsKey(const Engine& engine, const ObserverGroups& groups, std::size_t group,
                         const Backend& backend, Convention convention,
                         const Observations& observations);

/// The key of quantizeWeights() with these arguments.
ContentId layerWeightsKey(const Engine& engine, const FusedLayer& layer,
                          const TensorPrecision& precision, const WeightRules& rules,
                          const std::optional<QuantParams>& activation,
                          const WeightOverrides& overrides);

/// The key of fakeQuantize() with these arguments, for a constant of the engine's graph.
ContentId roundedConstantKey(const Engine& engine, ValueId constant, const QuantParams& params);

}  // namespace quantscope
