#pragma once

#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "export/report/procedure.h"
#include "export/report/report_outline.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// Parts of report.html that need no script, as HTML.

/// Tiles: output SQNR, agreement, accuracy, size, layers, samples, as far as known.
std::string headlineTiles(const ReportSource& source);
/// A warning where the samples are made up; else empty.
std::string syntheticWarning(const AnalysisResult& result);
/// The worst layers, and how many layers are in which range of error.
std::string verdict(const AnalysisResult& result, std::size_t maxName);
/// The steps of the procedure and where the network stands in each.
std::string procedureList(const std::vector<ProcedureStep>& steps);
/// The edits in their order; empty if there are none.
std::string historyList(const std::vector<std::string>& edits, std::size_t maxName);
/// All outputs of the network with their errors; empty where there is only one.
std::string outputTable(const AnalysisResult& result, std::size_t maxName);
/// Everything that could not be computed and why; empty if there is nothing.
std::string noticeList(const AnalysisResult& result, std::size_t maxName);
std::string notComputedTable(const AnalysisResult& result, std::size_t maxName);
/// The configuration in force, indented.
std::string configurationText(const Configuration& config);
/// A section of the summary, with its heading; empty where it has a table without rows.
std::string sectionHtml(const ReportSection& section, const char* id);
/// Definitions of the kinds of error and of all metrics.
std::string glossary();
/// The colour scale with its anchors and patterns.
std::string legend();

}  // namespace quantscope
