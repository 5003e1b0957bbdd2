#pragma once

#include <string>

#include "detectors/detector.h"

namespace quantscope {

/// findings.txt: the number of findings, then each with its reason, its figure against the
/// threshold and its remedy; the most severe first.
std::string findingsText(const DetectorReport& report);

/// "+1.2 dB at the output when simulated", of the change of the output's SQNR under a suggestion.
std::string gainText(double gainDb);

/// "3 findings: 1 critical, 2 warnings"
std::string findingsCount(const std::vector<Finding>& findings);

}  // namespace quantscope
