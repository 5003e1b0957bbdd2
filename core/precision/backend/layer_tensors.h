#pragma once

#include <optional>

#include "engine/engine.h"
#include "precision/backend/nearest_precision.h"

namespace quantscope {

/// The tensors of a layer that `node` leads.
LayerTensors layerTensors(const Engine& engine, const Node& node);

/// `precision` with what a layer has no tensors for as in `otherwise`, so that an entry of it asks
/// for nothing in vain.
NodePrecision ofTensors(NodePrecision precision, const LayerTensors& tensors,
                        const NodePrecision& otherwise);

/// The axis of the output's channels in the first constant weight of a node; −1 = none.
int weightChannelAxis(const Engine& engine, const Node& node);

/// The precision nearest to the wanted one, over all ways in which the backend can run the node;
/// nullopt if it does not know the operator.
std::optional<NearestPrecision> nearestPrecision(const Backend& backend, const Engine& engine,
                                                 const Node& node, const NodePrecision& asked);

}  // namespace quantscope
