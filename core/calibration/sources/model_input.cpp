#include "calibration/sources/model_input.h"

#include "base/error.h"

namespace quantscope {

std::vector<ModelInput> modelInputs(const Graph& graph) {
  std::vector<ModelInput> inputs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph[id];
    if (!value.type.element) {
      throw Error(
          ErrorCode::UnsupportedType, "the model's input is no tensor of numbers or booleans",
          {.file = {}, .node = {}, .value = value.name}, "use a model whose inputs are tensors");
    }
    inputs.push_back({id, value.name, *value.type.element, value.type.shape});
  }
  return inputs;
}

std::string describe(const ModelInput& input) {
  return input.name + " " + std::string(name(input.type)) + " " + toString(input.shape);
}

std::string describe(const std::string& name, ElementType type, const Shape& shape) {
  return name + " " + std::string(quantscope::name(type)) + " " + toString(shape);
}

std::string describe(const std::vector<ModelInput>& inputs) {
  std::string list;
  for (const ModelInput& input : inputs) {
    if (!list.empty()) list += ", ";
    list += describe(input);
  }
  return list.empty() ? "nothing" : list;
}

bool fits(const ModelInput& input, const Shape& shape, std::size_t firstAxis) {
  if (!input.shape) return true;
  if (input.shape->size() != shape.rank()) return false;
  for (std::size_t axis = firstAxis; axis < shape.rank(); ++axis) {
    const Dimension& wanted = (*input.shape)[axis];
    if (wanted.known() && wanted.extent != shape[axis]) return false;
  }
  return true;
}

}  // namespace quantscope
