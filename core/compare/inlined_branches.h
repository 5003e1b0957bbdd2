#pragma once

#include <map>
#include <string>

#include "graph/graph.h"

namespace quantscope {

/// By If: which branch every run takes, "then" or "else". What is not among them stays as it is.
using TakenBranches = std::map<NodeId, std::string>;

/// The graph with the nodes of those branches in place of the Ifs whose own block is the main one
/// or such a branch; the other branch is left out. An Identity makes each output of the If of what
/// the branch makes. Values keep their ids and names, nodes their names.
Graph inlineBranches(const Graph& graph, const TakenBranches& taken);

}  // namespace quantscope
