#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string_view>

#include "base/content_id.h"

namespace quantscope {

/// Control flow nested deeper than this is refused; real models stay below ten.
constexpr int kMaxNesting = 32;

/// Parses the model in a file; checks only that it is an ONNX model. Adds the file's bytes to
/// `content`. Throws Io where the file cannot be read, InvalidModel where it holds no model.
onnx::ModelProto readModelMessage(const std::filesystem::path& file, ContentHasher& content);

/// The model in bytes of at most 2 GiB. Throws InvalidModel where they are none.
onnx::ModelProto parseModelMessage(std::string_view bytes);

/// The tensor in a file of its own (ONNX test data). Errors as above.
onnx::TensorProto readTensorMessage(const std::filesystem::path& file);

}  // namespace quantscope
