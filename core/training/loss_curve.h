#pragma once

#include <string>
#include <vector>

#include "training/training_settings.h"

namespace quantscope {

/// The loss of a phase as it goes: the mean of its last three points on samples that are held back,
/// without its first, which is before any step. With few bits, each step rounds other values the
/// other way: a single point says more of luck than of the state. Infinity before the third.
double smoothedLoss(const std::vector<TrainingPoint>& curve, const std::string& phase);

}  // namespace quantscope
