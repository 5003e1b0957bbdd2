#pragma once

#include <string>

#include "export/report/report_outline.h"
#include "graph/graph.h"

namespace quantscope {

/// The result under a configuration as one self-contained page, report.html: headline,
/// procedure, picture of the graph, findings, heatmap, worst layers, table of all layers,
/// sensitivities where they were measured, cost, origin, configuration with its history, and
/// glossary. It loads nothing, works from a file and is at most
/// 5 MB: figures of large models have fewer digits, and of more than 10,000 layers the worst are
/// shown, which the page says. Names from the model are escaped.
std::string reportHtml(const ReportSource& source, const Graph& graph);

}  // namespace quantscope
