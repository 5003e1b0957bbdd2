#pragma once

#include <string>

#include "base/job_context.h"
#include "base/output_folder.h"
#include "export/report/procedure.h"
#include "jobs/analysis_snapshot.h"
#include "search/advice/next_change.h"

namespace quantscope {

/// Writes report.json, report.html, heatmap.png and findings.txt of a complete analysis. Throws
/// Error(Io); a cancelled job writes nothing.
/// `next` (may be null) goes into the summary, `work` into the page.
void writeReports(const AnalysisSnapshot& analysis, OutputFolder& out, JobContext& job,
                  const NextChange* next = nullptr, const WorkDone& work = {});

/// Output error, worst layers, accuracy and findings in a few lines, for a terminal.
std::string summaryText(const AnalysisSnapshot& analysis);

}  // namespace quantscope
