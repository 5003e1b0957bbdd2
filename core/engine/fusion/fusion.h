#pragma once

#include <functional>
#include <vector>

#include "engine/engine.h"

namespace quantscope {

/// Nodes that run in one step: a first one, and elementwise ones that each read the output of the
/// one before, so that their operations pass over it together.
struct FusedNodes {
  struct Follower {
    NodeId node;
    std::size_t input;  ///< the one that the node before makes
  };
  NodeId first;
  std::vector<Follower> followers;
};

/// Constraints on fusion besides the graph itself.
struct FusionRules {
  std::function<bool(NodeId)> runs;
  std::function<bool(ValueId)> seen;  ///< true if the value is tapped and must exist
};

/// Groups `order`, nodes of one block in an order in which they can run, into groups in such an
/// order. A node joins if it is the only reader of its input, that input is not tapped, and its
/// other inputs are computed by then.
std::vector<FusedNodes> fuseElementwise(const Engine& engine, const std::vector<NodeId>& order,
                                        const FusionRules& rules);

}  // namespace quantscope
