#pragma once

#include <vector>

#include "detectors/findings/finding.h"

namespace quantscope {

/// Severity follows what acting on a finding gains at the worst output, where that is known:
/// critical from 3 dB on while that output is below 20 dB, a warning from 0.5 dB on, else for
/// information, so that the order of severities is that of gains. Faults whose harm is not in
/// errors (DetectorHarm) keep what their detector says, and what cannot be acted on does, too.
void followGains(double worstOutputDb, std::vector<Finding>& findings);

}  // namespace quantscope
