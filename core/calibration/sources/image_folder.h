#pragma once

#include <filesystem>
#include <vector>

#include "calibration/images/preprocessing.h"
#include "calibration/sources/feed_assembler.h"

namespace quantscope {

/// The PNG and JPEG files of a folder in byte order of their names. Throws Error(Io).
std::vector<std::filesystem::path> imageFiles(const std::filesystem::path& folder);

/// The images of a folder as samples for the one input of a model: [1, C, H, W] or [1, H, W, C],
/// for an input of three axes without the first one. For an integer input they are rounded to
/// nearest even.
std::vector<InputData> openImageFolder(const std::filesystem::path& folder,
                                       const Preprocessing& preprocessing,
                                       const std::vector<ModelInput>& inputs);

}  // namespace quantscope
