#pragma once

#include "analysis/analyze.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// The labels that a request names; none where it names no file. Throws what readLabels() throws.
Labels labelsOf(const AnalysisRequest& request);

}  // namespace quantscope
