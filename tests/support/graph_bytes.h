#pragma once

#include <string>

#include "graph/graph.h"

namespace quantscope::test {

/// The bytes of a model file with that graph: constants as initializers, bodies as attributes,
/// types only where the graph's inputs and those of bodies have them. IR version 10.
/// Constants named …_int4 (int8) and …_uint4 (uint8) are written with four bits each.
std::string onnxModelOf(const Graph& graph);

}  // namespace quantscope::test
