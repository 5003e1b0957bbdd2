#pragma once

#include <cstdint>
#include <vector>

#include "calibration/sources/feed_assembler.h"

namespace quantscope {

/// Made-up data for models without real inputs.
///
/// Floats are standard normal; 8-bit integers take all their values, which stand for pixels and
/// quantized data; wider integers and booleans are 0 or 1, valid as indices, tokens and masks. A
/// number depends on the seed, the input's place among the inputs, the sample and its position
/// alone, on any machine.
///
/// Unknown extents are 1 on axis 0, and where they carry the name of such a one; any other is an
/// Error(InsufficientData), since only real data can tell it. Inputs that all have the same fixed
/// axis 0 are cut into samples, others hold whole feeds.
std::vector<InputData> makeRandomInputs(std::size_t samples, std::uint64_t seed,
                                        const std::vector<ModelInput>& inputs);

}  // namespace quantscope
