#pragma once

#include <string>
#include <vector>

#include "repair/state_changer.h"

namespace quantscope {

/// After all steps: larger scales for weights whose integer bias does not fit any more, of the
/// layers of these names; none = all. They stay unless an output loses more than 0.1 dB by them or
/// against `start`. `result` gets what they cost, or why they do not stay, and how many biases
/// still do not fit.
void raiseScales(StateChanger& changer, const MeasuredOutputs& start,
                 const std::vector<std::string>& only, MeasuredState& now, RepairResult& result);

}  // namespace quantscope
