#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "export/pictures/layer_graph.h"
#include "graph/graph.h"

namespace quantscope {

/// Layers that can be drawn as one card, or together in a frame.
struct ScopeGroup {
  enum class Kind {
    Whole,  ///< the model
    Scope,
    Owner,  ///< a control-flow node with its bodies
    Body,   ///< one of its bodies
  };

  Kind kind = Kind::Whole;
  std::size_t parent = 0;  ///< index of its group, lower than its own
  int depth = 0;           ///< of the whole: 0
  std::string title = {};  ///< "features / 0", "If_1 · then"
  /// Full names of a scope; several where scopes hold nothing but the next one. The last one is
  /// the innermost.
  std::vector<std::string> scopes = {};
  int part = 0;       ///< of a scope that is split: 1, 2, …; else 0
  int parts = 0;      ///< of how many
  NodeId owner = {};  ///< of Owner and Body
  /// The common scope of its layers; the rest of their names tells them apart.
  std::string prefix = {};
};

/// How the boxes of a layer graph nest.
struct ScopeTree {
  std::vector<ScopeGroup> groups;       ///< parents before children; 0 = the whole
  std::vector<std::size_t> groupOfBox;  ///< per box of the layer graph
  /// Per edge of the layer graph: true where it leads against the order of execution, as a fused
  /// pattern whose members stand apart can make it. Drawings lead it upward.
  std::vector<bool> upward;
};

/// Groups by the scopes in the layers' names and by the bodies of control-flow nodes. The common
/// beginning of all scopes of a model or body (see commonScopes) makes no group, nor does a scope
/// of a single layer. A scope that would make a cycle when drawn as one box is split into parts; at
/// every level, the boxes and groups of a group are free of cycles but for edges that lead upward.
ScopeTree scopeTree(const AnalysisResult& result, const Graph& graph, const LayerGraph& layers);

}  // namespace quantscope
