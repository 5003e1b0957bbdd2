#pragma once

#include <nlohmann/json_fwd.hpp>

#include "detectors/detector.h"
#include "graph/graph.h"

namespace quantscope {

/// The "findings" of report.json: a list of {"id", "detector", "node", "value", "channels",
/// "statistic", "threshold", "severity", "confidence", "text", "why", "evidence", "suggestion",
/// "repairs"}. The suggestion is null or {"text", "changes", "gain_db"}, with "estimated": true
/// where the gain was not measured; "changes" holds by node which parts of its
/// precision to replace, {"weight", "activation", "output"}, and is empty for mere advice. The
/// repairs are names of steps that act on the fault; see fittingSteps().
nlohmann::ordered_json findingsJson(const std::vector<Finding>& findings, const Graph& graph);

/// The "detectors" of report.json: full statistics by detector and node.
nlohmann::ordered_json detectorsJson(const DetectorReport& report);

/// "pytorch" or "quantscope".
const char* name(DetectorMode mode);

}  // namespace quantscope
