#include "base/error.h"
#include "engine/fake_quantize_tensor.h"
#include "engine/operators/operands.h"
#include "engine/operators/quantized/quantized.h"
#include "engine/training_quantizer.h"

namespace quantscope {
namespace {

class FakeQuantizeKernel final : public Kernel {
 public:
  explicit FakeQuantizeKernel(const Node& node) : m_quantizer(TrainingQuantizer::of(node)) {}

  InputLayout inputLayout() const override { return InputLayout::Any; }

  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    const Tensor& x = requiredInput(inputs, 0);
    if (!m_quantizer.takesGrids()) {
      setOutput(outputs, 0, fakeQuantizeValue(x, m_quantizer.form, m_quantizer.batch));
      return;
    }
    const QuantParams params =
        m_quantizer.params(requiredInput(inputs, 1), requiredInput(inputs, 2));
    const Tensor noise = inputOrUndefined(inputs, 3);
    if (!noise.defined()) {
      setOutput(outputs, 0, fakeQuantizeValue(x, params, m_quantizer.batch));
      return;
    }
    const auto key = static_cast<std::uint64_t>(toIntegers(noise).at(0));
    setOutput(outputs, 0,
              stochasticQuantize(x, params,
                                 RoundingNoise(key, m_quantizer.tensor, m_quantizer.temperature)));
  }

 private:
  TrainingQuantizer m_quantizer;
};

}  // namespace

std::unique_ptr<Kernel> makeFakeQuantize(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<FakeQuantizeKernel>(node);
}

}  // namespace quantscope
