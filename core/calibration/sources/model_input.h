#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// The type and shape that the model expects at one of its inputs.
struct ModelInput {
  ValueId value;
  std::string name;
  ElementType type = ElementType::Float32;
  std::optional<std::vector<Dimension>> shape;

  bool scalar() const { return shape && shape->empty(); }
};

/// Throws UnsupportedType for an input that is no tensor of numbers or booleans.
std::vector<ModelInput> modelInputs(const Graph& graph);

/// "x float32 [N, 3, 32, 32]"
std::string describe(const ModelInput& input);
std::string describe(const std::string& name, ElementType type, const Shape& shape);
/// All of them, with commas.
std::string describe(const std::vector<ModelInput>& inputs);

/// True where `shape` has the input's rank and all its known extents, from `firstAxis` on.
bool fits(const ModelInput& input, const Shape& shape, std::size_t firstAxis = 0);

}  // namespace quantscope
