#pragma once

#include <string>

#include "analysis/analysis_result.h"
#include "detectors/detector.h"

namespace quantscope {

/// The findings in report.html: how many there are of each severity and by each detector, then one
/// after the other with the reason, the figure against its threshold and what can be done, the most
/// severe first. Those of layers in `result` lead to them. Names are cut to `maxName` bytes.
std::string findingsHtml(const DetectorReport& report, const AnalysisResult& result,
                         std::size_t maxName);

}  // namespace quantscope
