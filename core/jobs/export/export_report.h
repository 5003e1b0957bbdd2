#pragma once

#include <string>
#include <vector>

#include "base/job_context.h"
#include "export/report/report_outline.h"
#include "jobs/analysis_snapshot.h"
#include "jobs/export/export_model.h"

namespace quantscope {

/// report.html of a complete analysis.
std::string reportPage(const AnalysisSnapshot& analysis, const WorkDone& work);

/// The formats of reports on an analysis for people, in the order of help texts; none of them is
/// among exportFormats().
const std::vector<std::string>& reportFormats();
bool isReportFormat(const std::string& format);

/// Writes a report on a complete analysis, in one of reportFormats(). The file appears when it is
/// complete. Nothing is lost that such a report is for, so that `losses` is empty.
///
/// Throws InvalidParameters for an unknown format or where an opset is asked for, Io, Cancelled.
ExportReport exportReport(const AnalysisSnapshot& analysis, const ExportRequest& request,
                          JobContext& job, const WorkDone& work = {});

}  // namespace quantscope
