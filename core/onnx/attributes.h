#pragma once

#include <onnx/onnx_pb.h>

#include <optional>

#include "graph/attribute.h"
#include "onnx/tensors.h"

namespace quantscope {

/// The kind of an attribute. Files of early exporters omit it; then the field that is set decides.
onnx::AttributeProto::AttributeType kindOf(const onnx::AttributeProto& message);

/// nullopt for sub-graphs, sparse tensors, types and lists of tensors, which Attribute cannot hold.
/// A tensor of an element type that we do not have gives an attribute with an undefined tensor.
std::optional<Attribute> toAttribute(const onnx::AttributeProto& message,
                                     const TensorReader& tensors);

/// The name under which a node keeps a sub-graph: then_branch → "then", else_branch → "else".
std::string bodyName(const std::string& attribute);

/// The constant that a Constant node makes, in any of its forms; undefined if the node holds
/// strings or a sparse tensor.
Tensor constantOf(const Node& node);

}  // namespace quantscope
