#pragma once

#include <string>
#include <vector>

#include "detectors/findings/finding.h"

namespace quantscope {

/// The names of the repair steps that act on the fault of a finding, in the order in which they
/// run; empty if there is none. Their gain is known only after they have run.
std::vector<std::string> fittingSteps(const Finding& finding);

}  // namespace quantscope
