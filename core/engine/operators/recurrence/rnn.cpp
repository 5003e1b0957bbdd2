#include "engine/onednn/sgemm.h"
#include "engine/operators/recurrence/recurrence.h"
#include "engine/operators/recurrence/recurrent_kernel.h"

namespace quantscope {
namespace {

class RnnCell final : public RecurrentCell {
 public:
  explicit RnnCell(const Node& node) : m_clip(node) {}

  std::int64_t gates() const override { return 1; }
  std::vector<std::string> defaultActivations() const override { return {"Tanh"}; }

  void step(const RecurrentStep& step,
            std::span<const RecurrentActivation> activations) const override {
    const auto hidden = static_cast<std::size_t>(step.hidden);
    onednn::multiply({step.state}, {step.recurrentWeights}, step.products, step.rows, step.hidden,
                     step.hidden);
    for (std::int64_t sample = 0; sample < step.samples; ++sample) {
      const float* input = step.inputs[static_cast<std::size_t>(sample)];
      const float* product = step.products + sample * step.hidden;
      float* state = step.state + sample * step.hidden;
      for (std::size_t i = 0; i < hidden; ++i) state[i] = input[i] + product[i];
      m_clip.apply({state, hidden});
      activations[0].apply({state, hidden});
    }
  }

 private:
  RecurrentClip m_clip;
};

}  // namespace

std::unique_ptr<Kernel> makeRnn(const Node& node, const Graph& graph) {
  return std::make_unique<RecurrentKernel>(node, graph, std::make_unique<RnnCell>(node));
}

}  // namespace quantscope
