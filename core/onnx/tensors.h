#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <optional>

#include "base/content_id.h"
#include "base/files/file_stamp.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The element type behind ONNX's number for it; none for strings, complex numbers, the FP8
/// types but E4M3FN and E5M2, whose numbers become float32, and the types below eight bits but int4
/// and uint4, whose codes become bytes.
std::optional<ElementType> toElementType(int onnxType);

/// The type of a value in a file. An extent of zero or below, "None" and "?" count as unknown:
/// exporters write them for a dimension that they leave open.
ValueType toValueType(const onnx::TypeProto& type);

/// The files that were read for a model, and the hash of their content.
struct ExternalFiles {
  ContentHasher& content;  ///< of all bytes read so far
  std::vector<StampedFile> files;
};

/// Turns tensor messages of one model into tensors.
class TensorReader {
 public:
  /// External data is read from `folder` only. Its files and bytes are added to `external`, which
  /// must outlive the reader.
  TensorReader(std::filesystem::path folder, ExternalFiles& external)
      : m_folder(std::move(folder)), m_external(external) {}

  /// The undefined tensor where the message is sound but holds something that Tensor cannot:
  /// another element type or more axes than Shape::kMaxRank.
  /// Throws InvalidModel where the elements do not match type and shape (checked before any memory
  /// is taken), Io where external data cannot be read.
  Tensor read(const onnx::TensorProto& message) const;

 private:
  Tensor readExternal(const onnx::TensorProto& message, ElementType type, const Shape& shape) const;

  std::filesystem::path m_folder;
  ExternalFiles& m_external;
};

}  // namespace quantscope
