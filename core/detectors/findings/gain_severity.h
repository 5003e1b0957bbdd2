#pragma once

#include <vector>

#include "detectors/findings/finding.h"

namespace quantscope {

/// Below it the output is so bad that the gain of a single change tells nothing: one layer's repair
/// only moves noise, although all of them together repair the output.
inline constexpr double kLeastTellingDb = 3;

/// Severity follows what acting on a finding gains at the worst output, where that is known:
/// critical from 3 dB on while that output is below 20 dB, a warning from 0.5 dB on, else for
/// information, so that the order of severities is that of gains. Faults whose harm is not in
/// errors (DetectorHarm) keep what their detector says, and what cannot be acted on does, too; but
/// time that would be bought with 0.5 dB and more is for information.
/// Below kLeastTellingDb a gain only raises what the detector says: that one change alone helps
/// little does not show that the fault is harmless.
void followGains(double worstOutputDb, std::vector<Finding>& findings);

}  // namespace quantscope
