#pragma once

#include <string>

#include "repair/repair_state.h"

namespace quantscope {

/// Why an overlay that should keep the float outputs does not keep them; empty if it does.
///
/// It holds where no element of an output differs by more than rounding may make it: sixteen times
/// the largest difference that the same constants, each changed by ±4 roundings of float (a
/// relative 2⁻²²) in seeded signs, make in the same output, and no less than 2⁻¹⁸ of the output's
/// largest magnitude. Every changed constant is rounded once, and every sum in another order; what
/// the rest of the network makes of that follows from the network itself. Over the first four
/// calibration feeds. Throws what running the network throws.
std::string whyNotEquivalent(const Engine& before, const Engine& after, const Overlay& overlay,
                             RepairTools& tools);

}  // namespace quantscope
