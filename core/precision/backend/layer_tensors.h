#pragma once

#include <optional>

#include "engine/engine.h"
#include "precision/backend/nearest_precision.h"

namespace quantscope {

/// The tensors of a layer that `node` leads.
LayerTensors layerTensors(const Engine& engine, const Node& node);

/// What of all ways of the backend to run the node comes nearest to a precision; nothing where it
/// does not know the operator.
std::optional<NearestPrecision> nearestPrecision(const Backend& backend, const Engine& engine,
                                                 const Node& node, const NodePrecision& asked);

}  // namespace quantscope
