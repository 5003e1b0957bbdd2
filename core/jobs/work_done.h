#pragma once

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "export/report/procedure.h"
#include "jobs/analysis_snapshot.h"
#include "project/document.h"

namespace quantscope {

/// The edits of the configuration that a document holds, those that are undone left out.
std::vector<std::string> configurationEdits(const Document& document);

/// The edits, and the figures before the first of them, measured on the same samples; calibrated
/// anew only where the start asks for ranges that the analysis has not observed. None where the
/// start contradicts the model or the file of its backend is gone. `analysis` is complete and of
/// the document's configuration. Throws Cancelled.
WorkDone workDone(const AnalysisSnapshot& analysis, const Document& document,
                  AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope
