#include "detectors/gain_severity.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace quantscope {
namespace {

constexpr double kBadOutputDb = 20;
constexpr double kCriticalGainDb = 3;
constexpr double kWarningGainDb = 0.5;
constexpr std::array<std::string_view, 4> kBeyondFigures{"non_finite", "not_calibrated",
                                                         "accumulator_overflow", "backend_support"};

// About time rather than about errors: what they suggest may well lose precision.
constexpr std::string_view kAboutTime = "conversion_island";

// What gains next to nothing is one step less severe than its detector says, at least.
Severity lowered(Severity severity) {
  return severity == Severity::Critical ? Severity::Warning : Severity::Info;
}

Severity severityOf(double gainDb, double worstOutputDb) {
  if (gainDb >= kCriticalGainDb && worstOutputDb < kBadOutputDb) return Severity::Critical;
  return gainDb >= kWarningGainDb ? Severity::Warning : Severity::Info;
}

}  // namespace

bool isBeyondFigures(const Finding& finding) {
  return std::ranges::find(kBeyondFigures, finding.detector) != kBeyondFigures.end();
}

void followGains(double worstOutputDb, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const bool known = finding.suggestion && finding.suggestion->gainDb;
    if (!known || isBeyondFigures(finding) || finding.detector == kAboutTime) continue;
    finding.severity =
        std::max(severityOf(*finding.suggestion->gainDb, worstOutputDb), lowered(finding.severity));
  }
}

}  // namespace quantscope
