#pragma once

#include <functional>
#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// The part of a graph between known values and one that is made of them.
struct InputCone {
  std::vector<ValueId> inputs;  ///< the known values that it starts from, in the order of reading
  std::vector<NodeId> nodes;    ///< of the main graph, in execution order
};

/// Finds what a value of the main graph is made of.
class InputCones {
 public:
  using Condition = std::function<bool(ValueId)>;

  /// The graph must outlive it.
  explicit InputCones(const Graph& graph);

  /// Walks back from `value` over what `isFollowed` to the values that `isKnown`, which are not
  /// looked behind; `value` itself does not count as known. Inputs of the graph on the way are
  /// among the inputs.
  InputCone of(ValueId value, const Condition& isKnown, const Condition& isFollowed) const;

 private:
  const Graph& m_graph;
  std::vector<std::size_t> m_rank;  // by node: its place in the main graph's order
};

}  // namespace quantscope
