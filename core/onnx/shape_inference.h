#pragma once

#include "graph/graph.h"

namespace quantscope {

/// Fills in the types of values that follow from the graph's inputs, constants and operators:
/// element types, and shapes with numbers where they are fixed and symbols ("batch") where they
/// are carried through. Shape arithmetic is followed through the small integer tensors that
/// exporters make of it.
///
/// What a value's type said before (from the file) stays where inference knows nothing, and
/// yields where it contradicts. `graph` must be finished. Never throws for an odd model: what
/// cannot be inferred stays unknown. Source of the rules: Operators.md of ONNX.
void inferShapes(Graph& graph);

}  // namespace quantscope
