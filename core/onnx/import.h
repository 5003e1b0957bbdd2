#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/content_id.h"
#include "base/files/file_stamp.h"
#include "graph/graph.h"

namespace quantscope {

struct ImportedModel {
  std::shared_ptr<const Graph> graph;
  ContentId content;               ///< of the bytes of the model's file and of its external data
  std::vector<StampedFile> files;  ///< the model's file, and those with its external data
};

/// Reads an ONNX model with its external data into a finished graph.
///
/// Any opset; operators that are not in the version table keep version 0. Nodes without names get
/// stable ones, sub-graphs become blocks, and nodes in them are named "PARENT/then|else|body/NAME".
/// Types and shapes of values come from the file and from shape inference.
/// Throws Error(InvalidModel or Io) with the place and a remedy for anything that is not a sound
/// model; never reads outside the model's folder and never allocates more than the files hold.
ImportedModel importWithContent(const std::filesystem::path& file);
/// The same without the id.
std::shared_ptr<const Graph> importModel(const std::filesystem::path& file);

/// The same of a model's bytes, which hold all of its data.
std::shared_ptr<const Graph> importModelBytes(std::string_view bytes);

/// Reads a serialized TensorProto (ONNX test data, `input_0.pb`).
Tensor readTensorFile(const std::filesystem::path& file);

struct NamedTensor {
  std::string name;  ///< empty where the file gives none
  Tensor tensor;
};
/// The same with the name that the file gives the tensor.
NamedTensor readNamedTensorFile(const std::filesystem::path& file);

}  // namespace quantscope
