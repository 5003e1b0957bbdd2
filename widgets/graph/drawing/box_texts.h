#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "graph/graph.h"
#include "widgets/graph/drawing/graph_drawing.h"
#include "widgets/graph/drawing/scope_tree.h"

namespace quantscope {

// Boxes with everything but their place.

/// `prefix` is the scope that the frames around it tell.
DrawnBox layerBox(const AnalysisResult& result, std::size_t layer, const std::string& prefix);
DrawnBox valueBox(const Graph& graph, ValueId value, DrawnBox::Kind kind);
/// The card of a collapsed scope, or of a control-flow node with closed bodies, that stands for
/// `layers`.
DrawnBox cardBox(const ScopeGroup& group, std::vector<std::size_t> layers);

QString groupTitle(const ScopeGroup& group);

}  // namespace quantscope
