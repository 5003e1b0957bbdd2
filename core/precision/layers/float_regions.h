#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// Nodes that together are one operator which the exporter wrote as primitive ones.
struct FloatRegion {
  std::string op;             ///< "LayerNormalization", "Gelu"
  std::vector<NodeId> nodes;  ///< ascending
};

/// Names of the regions that can be found: "LayerNormalization" (also without its mean, as RMSNorm)
/// and "Gelu" (with Erf or with Tanh).
const std::vector<std::string>& floatRegionNames();

/// Finds the regions of these names.
///
/// Machines run them in float as one kernel: rounding every square, root and factor of a
/// normalization to 8 bits would show an error that no machine makes.
std::vector<FloatRegion> findFloatRegions(const Graph& graph,
                                          const std::vector<std::string>& names);

}  // namespace quantscope
