#pragma once

#include <string_view>

#include "graph/graph.h"

namespace quantscope {

/// The newest opset of ai.onnx that the version table knows.
constexpr int kNewestKnownOpset = 24;

/// The version of an operator that is in force under `opset`: the highest since-version that is
/// not above it. `domain` "" = ai.onnx.
///
/// Operators that stood in ai.onnx only as experiments (ImageScaler, Crop, …) and operators of
/// com.microsoft have version 1. 0 where the operator is not known, or not yet there in `opset`.
/// Above kNewestKnownOpset the newest known version counts.
/// Source: Operators.md and Changelog.md of ONNX.
int operatorVersion(std::string_view domain, std::string_view op, int opset);

/// The node's version, for users: where none is known, the opset that the model imports of its
/// domain; 0 = it imports none.
int askedVersion(const Graph& graph, const Node& node);

}  // namespace quantscope
