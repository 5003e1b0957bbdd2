#pragma once

#include <string>

#include "detectors/detector.h"

namespace quantscope {

/// findings.txt: the number of findings, then each with its reason, its figure against the
/// threshold and its remedy; the most severe first.
std::string findingsText(const DetectorReport& report);

/// "+1.2 dB at the output when simulated", of a suggestion with a gain; "≈ 0.0 dB at the output,
/// estimated by gradients", of one whose gain was not measured.
std::string gainText(const Suggestion& suggestion);

/// "≈ 0.0", "≈ −0.3": an estimated gain in dB.
std::string estimateText(double gainDb);

/// "3 findings: 1 critical, 2 warnings"
std::string findingsCount(const std::vector<Finding>& findings);

}  // namespace quantscope
