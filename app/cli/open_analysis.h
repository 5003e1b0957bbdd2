#pragma once

#include <string>

#include "command.h"
#include "jobs/analysis/run_analysis.h"

namespace quantscope::cli {

/// The model, its configuration, --data, --calibration and --labels, ready to be analysed. Throws
/// Error naming the file that is at fault.
OpenedAnalysis openAnalysis(const std::string& model, const DataOptions& options,
                            DetectorMode detectors, JobContext& job);

}  // namespace quantscope::cli
