#pragma once

#include <string>

#include "graph/graph.h"

namespace quantscope::test {

/// The bytes of a model file with that graph: constants as initializers, bodies as attributes,
/// types only where the graph's inputs and those of bodies have them. IR version 10.
std::string onnxModelOf(const Graph& graph);

}  // namespace quantscope::test
