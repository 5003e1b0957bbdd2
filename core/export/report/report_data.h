#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/analysis_result.h"
#include "graph/graph.h"

namespace quantscope {

/// The level of detail of report.html, so that the page of a large model stays small.
struct ReportDetail {
  int digits = 0;             ///< significant digits of figures; 0 = all
  bool allMetrics = true;     ///< else SQNR, NMSE, cosine and RMSE / scale
  std::size_t maxName = 400;  ///< bytes of a name
  std::size_t samples = 48;   ///< columns of the heatmap
  std::size_t channels = 16;
};

/// The data that the scripts of report.html draw: columns of layer figures, the heatmap's cells and
/// the graph's picture. Missing figures are null, infinities "inf" and "-inf".
nlohmann::ordered_json reportData(const AnalysisResult& result, const Graph& graph,
                                  const ReportDetail& detail);

}  // namespace quantscope
