#pragma once

#include <filesystem>
#include <vector>

#include "calibration/sources/feed_assembler.h"

namespace quantscope {

/// True for a folder that holds folders named "test_data_set_*".
bool holdsOnnxSets(const std::filesystem::path& folder);

/// The sets of a folder with ONNX test data, by their number; each is one whole feed.
std::vector<InputData> openOnnxSets(const std::filesystem::path& folder,
                                    const std::vector<ModelInput>& inputs);

}  // namespace quantscope
