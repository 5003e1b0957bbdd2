#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/temporary_folder.h"
#include "base/job_context.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Throws Io, with what to do, where no ONNX Runtime was installed into that folder by npm.
void requireOnnxRuntime(const std::filesystem::path& folder);

/// An answer of ONNX Runtime's package for Node.
struct OnnxRuntimeAnswer {
  nlohmann::json json;  ///< an object with "version"
  std::string problem;  ///< why there is none
};

/// Runs a script of resources/core, beside its tensors.js, with a request, the path of a JSON file
/// as its only argument, and reads the object that it prints. `modules`: where the package was
/// installed by npm; without one that which the variable QUANTSCOPE_PEERS names, else where Node
/// looks by itself. Throws Cancelled, and Io where nothing can be written into the temporary
/// folder.
OnnxRuntimeAnswer askOnnxRuntime(std::string_view script, const nlohmann::json& request,
                                 const std::optional<std::filesystem::path>& modules,
                                 const TemporaryFolder& temporary, std::chrono::seconds limit,
                                 JobContext& job);

/// A tensor of a request: {"name", "type", "dims", "file"}, its elements in that file.
nlohmann::json handOver(const std::string& name, const Tensor& tensor,
                        const std::filesystem::path& file);

}  // namespace quantscope
