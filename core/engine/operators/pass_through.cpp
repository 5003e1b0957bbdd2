#include <algorithm>

#include "base/error.h"
#include "engine/operators/convert.h"
#include "engine/operators/elementwise.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

std::unique_ptr<Kernel> identity(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        setOutput(outputs, 0, std::move(requiredInput(inputs, 0)));
      },
      Kernel::InputLayout::Any, true);
}

// The mask that drops nothing. It is boolean from version 10 on, of the data's type before.
Tensor keepAll(const Tensor& data, int version) {
  Tensor mask(ElementType::Bool, data.shape(), data.layout());
  std::ranges::fill(mask.mutableValues<bool>(), true);
  return version >= 10 ? mask : convertedTo(mask, data.type());
}

void requireInference(std::span<Tensor> inputs) {
  const Tensor* training = optionalInput(inputs, 2);
  if (training == nullptr || !training->values<bool>()[0]) return;
  const Tensor* ratio = optionalInput(inputs, 1);
  if (ratio != nullptr && toFloat32(*ratio).values<float>()[0] == 0) return;
  throw Error(ErrorCode::UnsupportedOperation, "the Dropout is in training mode, which is random",
              {}, "export the model for inference");
}

std::unique_ptr<Kernel> dropout(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [version = node.version](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        if (version >= 12) requireInference(inputs);
        Tensor& data = requiredInput(inputs, 0);
        if (outputs.size() > 1) outputs[1] = keepAll(data, version);
        setOutput(outputs, 0, std::move(data));
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

void registerPassThrough(OperatorRegistry& registry) {
  registry.add("Identity", {1, 13, 14, 16, 19, 21, 23, 24}, identity);
  registry.add("Dropout", {1, 6, 7, 10, 12, 13, 22}, dropout);
}

}  // namespace quantscope
