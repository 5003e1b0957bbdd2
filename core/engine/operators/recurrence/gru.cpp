#include "engine/onednn/sgemm.h"
#include "engine/operators/recurrence/recurrence.h"
#include "engine/operators/recurrence/recurrent_kernel.h"

namespace quantscope {
namespace {

// y += x
void addTo(float* y, const float* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] += x[i];
}

class GruCell final : public RecurrentCell {
 public:
  explicit GruCell(const Node& node)
      : m_clip(node), m_linearBeforeReset(node.integer("linear_before_reset", 0) != 0) {}

  std::int64_t gates() const override { return 3; }
  std::vector<std::string> defaultActivations() const override { return {"Sigmoid", "Tanh"}; }
  std::int64_t ownBiasGates() const override { return m_linearBeforeReset ? 1 : 0; }

  void step(const RecurrentStep& step,
            std::span<const RecurrentActivation> activations) const override {
    if (m_linearBeforeReset) {
      multiplyState(step, step.state, 0, 3);
    } else {
      multiplyState(step, step.state, 0, 2);
    }
    for (std::int64_t sample = 0; sample < step.samples; ++sample) {
      openGates(step, sample, activations[0]);
    }
    if (!m_linearBeforeReset) {
      // (r ⊙ h) · Rh, which openGates() left in the scratch rows.
      multiplyState(step, step.scratch, 2, 1);
      for (std::int64_t sample = 0; sample < step.samples; ++sample) {
        addTo(input(step, sample, 2), step.products + sample * step.hidden, step.hidden);
      }
    }
    for (std::int64_t sample = 0; sample < step.samples; ++sample) {
      blend(step, sample, activations[1]);
    }
  }

 private:
  static float* input(const RecurrentStep& step, std::int64_t sample, std::int64_t gate) {
    return step.inputs[static_cast<std::size_t>(sample)] + gate * step.hidden;
  }

  // products = rows · the columns of `count` gates from `first` on.
  static void multiplyState(const RecurrentStep& step, const float* rows, std::int64_t first,
                            std::int64_t count) {
    onednn::multiply({rows},
                     {.data = step.recurrentWeights + first * step.hidden,
                      .transposed = false,
                      .stride = 3 * step.hidden},
                     step.products, step.rows, count * step.hidden, step.hidden);
  }

  // Update and reset gate; then applies the reset gate: into the hidden gate's sums, or to the
  // state, in the scratch rows that are multiplied next.
  void openGates(const RecurrentStep& step, std::int64_t sample,
                 const RecurrentActivation& activation) const {
    const std::int64_t hidden = step.hidden;
    const float* product = step.products + sample * hidden * (m_linearBeforeReset ? 3 : 2);
    float* update = input(step, sample, 0);
    const float* reset = input(step, sample, 1);
    addTo(update, product, 2 * hidden);
    const std::span<float> gates(update, static_cast<std::size_t>(2 * hidden));
    m_clip.apply(gates);
    activation.apply(gates);
    if (!m_linearBeforeReset) {
      const float* state = step.state + sample * hidden;
      float* passed = step.scratch + sample * hidden;
      for (std::int64_t i = 0; i < hidden; ++i) passed[i] = reset[i] * state[i];
      return;
    }
    float* sums = input(step, sample, 2);
    const float* candidate = product + 2 * hidden;
    if (step.recurrentBias.empty()) {
      for (std::int64_t i = 0; i < hidden; ++i) sums[i] += reset[i] * candidate[i];
    } else {
      const float* bias = step.recurrentBias.data() + 2 * hidden;
      for (std::int64_t i = 0; i < hidden; ++i) sums[i] += reset[i] * (candidate[i] + bias[i]);
    }
  }

  // h = (1 − z) ⊙ h̃ + z ⊙ h
  void blend(const RecurrentStep& step, std::int64_t sample,
             const RecurrentActivation& activation) const {
    const float* update = input(step, sample, 0);
    float* candidate = input(step, sample, 2);
    const std::span<float> sums(candidate, static_cast<std::size_t>(step.hidden));
    m_clip.apply(sums);
    activation.apply(sums);
    float* state = step.state + sample * step.hidden;
    for (std::int64_t i = 0; i < step.hidden; ++i) {
      state[i] = (1 - update[i]) * candidate[i] + update[i] * state[i];
    }
  }

  RecurrentClip m_clip;
  bool m_linearBeforeReset;
};

}  // namespace

std::unique_ptr<Kernel> makeGru(const Node& node, const Graph& graph) {
  return std::make_unique<RecurrentKernel>(node, graph, std::make_unique<GruCell>(node));
}

}  // namespace quantscope
