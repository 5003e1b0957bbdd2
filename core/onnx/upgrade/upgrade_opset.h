#pragma once

#include "graph/graph.h"

namespace quantscope {

/// Lifts the operators of ai.onnx in a finished graph to the versions of `opset`, which is not
/// below the graph's, so that it computes the same: attributes that have become inputs turn into
/// constants, defaults that have changed are written out, operators that were replaced get their
/// new name. Nodes and values keep their names; constants and, where one operator has become
/// several, nodes are added. Finishes the graph again.
///
/// Throws UnsupportedOperation, naming the node, where it is not known how.
/// Source: Changelog.md of ONNX.
void upgradeOpset(Graph& graph, int opset);

}  // namespace quantscope
