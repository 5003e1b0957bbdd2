#pragma once

#include <string>

#include "analysis/analysis_result.h"
#include "detectors/detector.h"

namespace quantscope {

/// The findings in report.html: the number of each severity and of each detector, then each with
/// its reason, its figure against the threshold and its remedy, the most severe first. Findings
/// about layers in `result` link to them. Names are cut to `maxName` bytes.
std::string findingsHtml(const DetectorReport& report, const AnalysisResult& result,
                         std::size_t maxName);

}  // namespace quantscope
