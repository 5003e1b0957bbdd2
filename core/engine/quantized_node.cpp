#include "engine/quantized_node.h"

#include <utility>

#include "engine/fake_quantize_tensor.h"

namespace quantscope {
namespace {

void replaceConstants(const NodeQuantization& applied, std::vector<Tensor>& inputs) {
  for (const auto& [index, tensor] : applied.constants) {
    if (inputs.size() <= index) inputs.resize(index + 1);
    inputs[index] = tensor;
  }
}

void quantizeAll(const std::vector<std::pair<std::size_t, QuantParams>>& points, std::size_t batch,
                 std::vector<Tensor>& tensors) {
  for (const auto& [index, params] : points) {
    if (index >= tensors.size() || !tensors[index].defined()) continue;
    Tensor tensor = std::exchange(tensors[index], Tensor());
    const ElementType type = tensor.type();
    if (isFloat(type)) {
      tensor = fromFloat32(fakeQuantizeValue(std::move(tensor), params, batch), type);
    }
    tensors[index] = std::move(tensor);
  }
}

}  // namespace

Layout preferredLayout(const Kernel& kernel) {
  return kernel.inputLayout() == Kernel::InputLayout::Plain ? Layout::Plain : Layout::ChannelsLast;
}

void runQuantizedNode(const Engine& engine, NodeId id, const NodeQuantization* applied,
                      std::size_t batch, std::vector<Tensor>& inputs,
                      std::vector<Tensor>& outputs) {
  const Node& node = engine.graph()[id];
  if (applied == nullptr || applied->empty()) {
    runKernel(*engine.kernel(id), node, inputs, outputs);
    return;
  }
  replaceConstants(*applied, inputs);
  quantizeAll(applied->inputs, batch, inputs);
  if (applied->bypassed) {
    outputs[0] = std::move(inputs[0]);
  } else {
    runKernel(*engine.kernel(id), node, inputs, outputs);
  }
  quantizeAll(applied->outputs, batch, outputs);
}

}  // namespace quantscope
