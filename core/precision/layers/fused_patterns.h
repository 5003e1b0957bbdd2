#pragma once

#include <span>
#include <vector>

#include "engine/engine.h"
#include "precision/backend/backend.h"
#include "precision/config/resolved_config.h"
#include "precision/layers/float_regions.h"

namespace quantscope {

/// A row of every table: a fused pattern, or a single node.
struct FusedLayer {
  std::vector<NodeId> members;  ///< in execution order; the first one leads and names the layer

  NodeId lead() const { return members.front(); }
  NodeId last() const { return members.back(); }
};

/// By node: true if the backend runs it in float as a part of a larger operator, one of its regions
/// in the graph. A region breaks where a node of it has its own entry.
std::vector<bool> findFloatNodes(const Graph& graph, const std::vector<FloatRegion>& regions,
                                 const ResolvedConfig& config);

/// Cuts the graph's nodes into layers, in execution order, sub-graphs included.
///
/// A follower joins where it is the only reader of the value before it, that value is not an
/// output, its other inputs are constants of a form that folds away (batch-norm statistics, a bias
/// per channel, clip bounds), and the configuration has no entry of its own for it.
/// Nodes whose results are constants make no layer.
std::vector<FusedLayer> findFusedLayers(const Engine& engine, const Backend& backend,
                                        const ResolvedConfig& config);
/// The same where findFloatNodes() is known.
std::vector<FusedLayer> findFusedLayers(const Engine& engine, const Backend& backend,
                                        const ResolvedConfig& config,
                                        const std::vector<bool>& floats);

}  // namespace quantscope
