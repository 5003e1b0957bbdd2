#pragma once

#include <string>

#include "onnx/writing/model_draft.h"

namespace quantscope {

/// The bytes of an ONNX file with the draft's finished graph: names as they are, those in
/// sub-graphs without the "PARENT/then/" in front, so that an import gives them back; constants
/// inside the file; types of the inputs and outputs. The version of the format is the oldest one
/// that knows the opset, or the graph's own where that is newer.
///
/// Throws InvalidModel, naming the value or node, for what a Graph does not hold (strings, sparse
/// tensors, types as attributes) and for more than 2 GiB.
std::string modelBytes(const ModelDraft& draft);

}  // namespace quantscope
