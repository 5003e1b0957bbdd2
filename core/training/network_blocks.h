#pragma once

#include <vector>

#include "repair/linear_layers.h"
#include "repair/repair_state.h"

namespace quantscope {

/// A part of a network between two values through which everything passes.
struct NetworkBlock {
  ValueId input;                 ///< none: it begins at the network's inputs
  std::vector<ValueId> outputs;  ///< one value, or those of the network
  std::vector<NodeId> layers;    ///< leading nodes of its linear layers, in execution order
};

/// The blocks of a network: cut behind layers where no other float value is alive, so that a
/// residual branch is never split, and with at least two linear layers each where there are as many
/// (Li and others, "BRECQ": blocks are reconstructed better than single layers). One block where
/// the network cannot be cut.
std::vector<NetworkBlock> findBlocks(const Engine& engine, const QuantizedModel& model,
                                     const LinearLayers& layers);

}  // namespace quantscope
