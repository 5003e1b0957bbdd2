#pragma once

#include <filesystem>
#include <vector>

#include "calibration/sources/feed_assembler.h"

namespace quantscope {

/// The arrays of a `.npz` for the inputs of a model, matched by name.
std::vector<InputData> openNpzInputs(const std::filesystem::path& file,
                                     const std::vector<ModelInput>& inputs);

/// The array of a `.npy` for the one input of a model.
std::vector<InputData> openNpyInputs(const std::filesystem::path& file,
                                     const std::vector<ModelInput>& inputs);

}  // namespace quantscope
