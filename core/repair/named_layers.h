#pragma once

#include <string>
#include <vector>

#include "repair/linear_layers.h"
#include "repair/repair_state.h"

namespace quantscope {

/// The layers of a state that may change: those led by the nodes of these names; no names = all.
LinearLayers namedLayers(const RepairState& state, const std::vector<std::string>& names);

/// The names of the layers that repairs can change and that one of `nodes` is a part of, in
/// execution order; see RepairRequest::only.
std::vector<std::string> repairableLayers(const Engine& engine, const QuantizedModel& model,
                                          const std::vector<NodeId>& nodes);

/// These layers and all that make or read channels with them, in execution order: steps that scale
/// channels between layers need both ends.
std::vector<std::string> withOtherEnds(const Engine& engine, const QuantizedModel& model,
                                       const std::vector<std::string>& names);

/// Throws InvalidParameters for a name that leads none of `layers`.
void requireNamed(const Engine& engine, const LinearLayers& layers,
                  const std::vector<std::string>& names);

}  // namespace quantscope
