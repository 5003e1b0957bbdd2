#pragma once

#include <string>

#include "analysis/analysis_result.h"
#include "detectors/detector.h"
#include "export/report/procedure.h"
#include "graph/graph.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// The result under a configuration as one self-contained page, report.html: headline,
/// procedure, picture of the graph, findings, heatmap, worst layers, table of all layers,
/// configuration with its history, and glossary. It loads nothing, works from a file and is at most
/// 5 MB: figures of large models have fewer digits, and of more than 10,000 layers the worst are
/// shown, which the page says. Names from the model are escaped.
std::string reportHtml(const AnalysisResult& result, const Configuration& config,
                       const Graph& graph, const DetectorReport& detectors,
                       const WorkDone& work = {});

}  // namespace quantscope
