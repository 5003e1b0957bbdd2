#include <cstring>

#include "base/error.h"
#include "engine/operators/elementwise/elementwise.h"
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

// The mask of an inference, in the data's type before version 10 and boolean from then on. Version
// 12 defines it as the kept elements: all true; ONNX Runtime fills the earlier ones, which the
// standard leaves open, as the dropped elements: all false.
Tensor dropoutMask(const Tensor& data, int version) {
  Tensor mask(version < 10 ? data.type() : ElementType::Bool, data.shape(), data.layout());
  std::memset(mask.mutableBytes(), version < 12 ? 0 : 1, mask.byteSize());
  return mask;
}

bool holdsOnly(const Tensor* tensor, float value) {
  if (tensor == nullptr || tensor->elementCount() != 1) return false;
  return toFloat32(*tensor).values<float>()[0] == value;
}

void requireInference(std::span<Tensor> inputs) {
  const Tensor* training = optionalInput(inputs, 2);
  const bool drops = !holdsOnly(optionalInput(inputs, 1), 0);
  if (training == nullptr || holdsOnly(training, 0) || !drops) return;
  throw Error(ErrorCode::UnsupportedOperation, "the Dropout is in training mode, which is random",
              {}, "export the model for inference");
}

std::unique_ptr<Kernel> dropout(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [version = node.version](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        if (version >= 12) requireInference(inputs);
        Tensor& data = requiredInput(inputs, 0);
        if (outputs.size() > 1) outputs[1] = dropoutMask(data, version);
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
