#pragma once

#include <filesystem>

#include "export/foreign/foreign_configuration.h"
#include "jobs/load_model.h"

namespace quantscope {

/// Reads what another tool has made for a model: AIMET's encodings, TensorRT's calibration cache, a
/// QDQ model, or a configuration of our own; the content tells which. Throws Error naming the file.
ImportedConfiguration importConfiguration(const std::filesystem::path& file,
                                          const LoadedModel& model);

}  // namespace quantscope
