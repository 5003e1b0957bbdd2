#include "detectors/findings/gain_severity.h"

#include <algorithm>

#include "detectors/detector.h"

namespace quantscope {
namespace {

constexpr double kBadOutputDb = 20;
constexpr double kCriticalGainDb = 3;
constexpr double kWarningGainDb = 0.5;

// What gains next to nothing is one step less severe than its detector says, at least.
Severity lowered(Severity severity) {
  return severity == Severity::Critical ? Severity::Warning : Severity::Info;
}

Severity severityOf(double gainDb, double worstOutputDb) {
  if (gainDb >= kCriticalGainDb && worstOutputDb < kBadOutputDb) return Severity::Critical;
  return gainDb >= kWarningGainDb ? Severity::Warning : Severity::Info;
}

}  // namespace

void followGains(double worstOutputDb, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const bool known = finding.suggestion && finding.suggestion->gainDb;
    if (!known || harmOf(finding) != DetectorHarm::Errors) continue;
    finding.severity =
        std::max(severityOf(*finding.suggestion->gainDb, worstOutputDb), lowered(finding.severity));
  }
}

}  // namespace quantscope
