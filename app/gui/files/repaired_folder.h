#pragma once

#include <QString>
#include <filesystem>
#include <optional>
#include <vector>

#include "jobs/load_model.h"

namespace quantscope {

/// A folder for the repaired form of a model that is not there yet: "net-repaired" beside net.onnx,
/// in the user's own folder where nothing can be written beside it.
QString proposedRepairedFolder(const std::filesystem::path& model);

/// The file of the model, or of its external data, that a repair written into the folder would
/// replace; none = it replaces no such file.
std::optional<std::filesystem::path> replacedModelFile(const std::filesystem::path& folder,
                                                       const LoadedModel& model);

/// The files in the folder that a repair would replace.
std::vector<std::filesystem::path> replacedFiles(const std::filesystem::path& folder);

}  // namespace quantscope
