#pragma once

#include <cstddef>
#include <vector>

#include "analysis/analysis_result.h"
#include "graph/graph.h"
#include "layout/graph_layout.h"

namespace quantscope {

/// The network as it is drawn: one box per layer (a fused pattern is one box), one per input and
/// output of the model. Constants are left out.
struct LayerGraph {
  /// Boxes 0 … layers − 1 are the result's layers; then come `inputs`, then `outputs`.
  std::size_t layers = 0;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  /// Edges from the box that makes a value to the one that reads it, each pair once. The nodes of a
  /// body (If, Loop, Scan) are boxes of their own; their results flow into the box of the owner.
  std::vector<LayoutEdge> edges;
  /// Per edge, the values of its source that arrive, by id.
  std::vector<std::vector<ValueId>> values;

  std::size_t boxes() const { return layers + inputs.size() + outputs.size(); }
};

/// Nodes that belong to no layer are passed through.
LayerGraph layerGraph(const AnalysisResult& result, const Graph& graph);

}  // namespace quantscope
