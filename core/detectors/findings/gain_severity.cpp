#include "detectors/findings/gain_severity.h"

#include <algorithm>

#include "detectors/detector.h"

namespace quantscope {
namespace {

constexpr double kBadOutputDb = 20;
constexpr double kCriticalGainDb = 3;
constexpr double kWarningGainDb = 0.5;

Severity severityOf(double gainDb, double worstOutputDb) {
  if (gainDb >= kCriticalGainDb && worstOutputDb < kBadOutputDb) return Severity::Critical;
  return gainDb >= kWarningGainDb ? Severity::Warning : Severity::Info;
}

}  // namespace

void followGains(double worstOutputDb, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const bool known = finding.suggestion && finding.suggestion->gainDb;
    if (!known) continue;
    const DetectorHarm harm = harmOf(finding);
    const bool dear = *finding.suggestion->gainDb <= -kWarningGainDb;
    if (harm == DetectorHarm::Time && dear) finding.severity = Severity::Info;
    if (harm != DetectorHarm::Errors) continue;
    const Severity measured = severityOf(*finding.suggestion->gainDb, worstOutputDb);
    const bool tells = worstOutputDb >= kLeastTellingDb;
    finding.severity = tells ? measured : std::max(finding.severity, measured);
  }
}

}  // namespace quantscope
