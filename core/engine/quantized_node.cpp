#include "engine/quantized_node.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "engine/fake_quantize_tensor.h"

namespace quantscope {
namespace {

void replaceConstants(const NodeQuantization& applied, std::vector<Tensor>& inputs) {
  for (const auto& [index, tensor] : applied.constants) {
    if (inputs.size() <= index) inputs.resize(index + 1);
    inputs[index] = tensor;
  }
}

void scaleInputs(const NodeQuantization& applied, std::vector<Tensor>& inputs) {
  for (const auto& [index, channels] : applied.factors) {
    if (index >= inputs.size() || !inputs[index].defined()) continue;
    const ElementType type = inputs[index].type();
    inputs[index] = fromFloat32(scaledByChannel(toFloat32(inputs[index]), channels), type);
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

Tensor scaledByChannel(Tensor x, const ChannelFactors& channels) {
  const auto axis = static_cast<std::size_t>(channels.axis);
  const std::vector<float>& factors = channels.factors;
  const Shape& shape = x.shape();
  if (axis >= shape.rank() || shape[axis] != static_cast<std::int64_t>(factors.size())) {
    throw Error(ErrorCode::InvalidParameters, std::to_string(factors.size()) +
                                                  " factors do not fit axis " +
                                                  std::to_string(axis) + " of the data");
  }
  const bool channelsLast = x.layout() == Layout::ChannelsLast && axis == 1;
  if (!channelsLast) x = toLayout(x, Layout::Plain);
  const auto inner =
      static_cast<std::size_t>(channelsLast ? 1 : shape.elementCount(axis + 1, shape.rank()));
  Tensor y(ElementType::Float32, shape, x.layout());
  const float* from = x.values<float>().data();
  const std::span<float> to = y.mutableValues<float>();
  for (std::size_t first = 0; first < to.size(); first += factors.size() * inner) {
    for (std::size_t c = 0; c < factors.size(); ++c) {
      const std::size_t run = first + c * inner;
      for (std::size_t i = run; i < run + inner; ++i) to[i] = from[i] * factors[c];
    }
  }
  return y;
}

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
  scaleInputs(*applied, inputs);
  quantizeAll(applied->inputs, batch, inputs);
  if (applied->bypassed) {
    outputs[0] = std::move(inputs[0]);
  } else {
    runKernel(*engine.kernel(id), node, inputs, outputs);
  }
  quantizeAll(applied->outputs, batch, outputs);
}

}  // namespace quantscope
