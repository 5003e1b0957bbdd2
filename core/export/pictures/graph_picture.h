#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/analysis_result.h"
#include "graph/graph.h"

namespace quantscope {

/// The network laid out for report.html's picture, coordinates in whole pixels:
/// `{"width","height","kinds","labels":[…],"boxes":[x,y,width,height,…],"edges":[from,to,…],
/// "routes":[[x,y,dx,dy,…],…]}`. Boxes as in LayerGraph; `kinds` has one letter for each: L layer,
/// M data mover, I input, O output; `labels` name the inputs and outputs; routes are the first
/// point and then steps. Labels longer than `maxName` bytes are shortened in the middle.
nlohmann::ordered_json graphPicture(const AnalysisResult& result, const Graph& graph,
                                    std::size_t maxName);

}  // namespace quantscope
