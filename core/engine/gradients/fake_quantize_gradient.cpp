// Back through fake quantization, straight (see straight_through.h).

#include "engine/gradients/gradient_registry.h"
#include "engine/gradients/straight_through.h"

namespace quantscope {
namespace {

Tensor tensorOf(const std::vector<double>& sums) {
  Tensor tensor(ElementType::Float32, Shape{static_cast<std::int64_t>(sums.size())});
  for (std::size_t i = 0; i < sums.size(); ++i) {
    tensor.mutableValues<float>()[i] = static_cast<float>(sums[i]);
  }
  return tensor;
}

class FakeQuantizeGradient final : public Gradient {
 public:
  explicit FakeQuantizeGradient(const Node& node) : m_quantizer(TrainingQuantizer::of(node)) {}

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Tensor& dy = call.cotangents[0];
    if (!dy.defined()) return;
    if (!m_quantizer.takesGrids()) {
      if (call.wanted[0] != 0) {
        results[0] = straightThroughFixed(call.inputs[0], dy, m_quantizer.form);
      }
      return;
    }
    const QuantParams params = m_quantizer.params(call.inputs[1], call.inputs[2]);
    std::optional<RoundingNoise> noise;
    if (call.inputs.size() > 3 && call.inputs[3].defined()) {
      noise.emplace(static_cast<std::uint64_t>(toIntegers(call.inputs[3]).at(0)),
                    m_quantizer.tensor, m_quantizer.temperature);
    }
    StraightThrough back =
        straightThrough(call.inputs[0], dy, params, noise ? &*noise : nullptr, call.wanted[0] != 0);
    if (call.wanted[0] != 0) results[0] = std::move(back.x);
    if (call.wanted[1] != 0) results[1] = tensorOf(back.scales);
    if (call.wanted[2] != 0) results[2] = tensorOf(back.zeroPoints);
  }

 private:
  TrainingQuantizer m_quantizer;
};

std::unique_ptr<Gradient> makeFakeQuantizeGradient(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<FakeQuantizeGradient>(node);
}

}  // namespace

void registerFakeQuantizeGradient(GradientRegistry& registry) {
  registry.add(TrainingQuantizer::kOperator, makeFakeQuantizeGradient, TrainingQuantizer::kDomain);
}

}  // namespace quantscope
