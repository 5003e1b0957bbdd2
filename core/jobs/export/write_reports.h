#pragma once

#include <string>

#include "base/files/output_folder.h"
#include "base/job_context.h"
#include "export/json/report_json.h"
#include "export/report/procedure.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// Writes report.json, report.html, heatmap.png and findings.txt of a complete analysis. Throws
/// Error(Io); a cancelled job writes nothing.
/// `changes` goes into report.json, `work` into the page and findings.txt.
void writeReports(const AnalysisSnapshot& analysis, OutputFolder& out, JobContext& job,
                  const ReportedChanges& changes = {}, const WorkDone& work = {});

/// Output error, worst layers, accuracy and findings in a few lines, for a terminal.
std::string summaryText(const AnalysisSnapshot& analysis);

}  // namespace quantscope
