#include "engine/onednn/sgemm.h"
#include "engine/operators/recurrence/recurrence.h"
#include "engine/operators/recurrence/recurrent_kernel.h"

namespace quantscope {
namespace {

// Order of the gates in W, R and B, and of the peepholes in P.
enum Gate : std::int64_t { kInputGate, kOutputGate, kForgetGate, kCellGate };
enum Peephole : std::int64_t { kInputPeephole, kOutputPeephole, kForgetPeephole };

class LstmCell final : public RecurrentCell {
 public:
  explicit LstmCell(const Node& node)
      : m_clip(node), m_coupled(node.integer("input_forget", 0) != 0) {}

  std::int64_t gates() const override { return 4; }
  bool hasCellState() const override { return true; }
  std::vector<std::string> defaultActivations() const override {
    return {"Sigmoid", "Tanh", "Tanh"};
  }

  void step(const RecurrentStep& step,
            std::span<const RecurrentActivation> activations) const override {
    onednn::multiply({step.state}, {step.recurrentWeights}, step.products, step.rows,
                     4 * step.hidden, step.hidden);
    for (std::int64_t sample = 0; sample < step.samples; ++sample) {
      float* gates = step.inputs[static_cast<std::size_t>(sample)];
      const float* product = step.products + sample * 4 * step.hidden;
      for (std::int64_t i = 0; i < 4 * step.hidden; ++i) gates[i] += product[i];
      updateCell(step, sample, gates, activations);
      updateOutput(step, sample, gates + kOutputGate * step.hidden, activations);
    }
  }

 private:
  void activate(const RecurrentActivation& activation, float* gate, std::int64_t count) const {
    const std::span<float> sums(gate, static_cast<std::size_t>(count));
    m_clip.apply(sums);
    activation.apply(sums);
  }

  static void addPeephole(const RecurrentStep& step, Peephole peephole, const float* cell,
                          float* gate) {
    if (step.peepholes.empty()) return;
    const float* weights = step.peepholes.data() + peephole * step.hidden;
    for (std::int64_t i = 0; i < step.hidden; ++i) gate[i] += weights[i] * cell[i];
  }

  // c = f ⊙ c + i ⊙ c̃; f = 1 − i where the two are coupled.
  void updateCell(const RecurrentStep& step, std::int64_t sample, float* gates,
                  std::span<const RecurrentActivation> activations) const {
    const std::int64_t hidden = step.hidden;
    float* cell = step.cellState + sample * hidden;
    float* input = gates + kInputGate * hidden;
    float* forget = gates + kForgetGate * hidden;
    float* candidate = gates + kCellGate * hidden;
    addPeephole(step, kInputPeephole, cell, input);
    addPeephole(step, kForgetPeephole, cell, forget);
    activate(activations[0], input, hidden);
    activate(activations[1], candidate, hidden);
    if (m_coupled) {
      for (std::int64_t i = 0; i < hidden; ++i) forget[i] = 1 - input[i];
    } else {
      activate(activations[0], forget, hidden);
    }
    for (std::int64_t i = 0; i < hidden; ++i) {
      cell[i] = forget[i] * cell[i] + input[i] * candidate[i];
    }
  }

  // h = o ⊙ h(c), the output gate's peephole looking at the new cell.
  void updateOutput(const RecurrentStep& step, std::int64_t sample, float* output,
                    std::span<const RecurrentActivation> activations) const {
    const float* cell = step.cellState + sample * step.hidden;
    float* state = step.state + sample * step.hidden;
    addPeephole(step, kOutputPeephole, cell, output);
    activate(activations[0], output, step.hidden);
    for (std::int64_t i = 0; i < step.hidden; ++i) state[i] = cell[i];
    activations[2].apply({state, static_cast<std::size_t>(step.hidden)});
    for (std::int64_t i = 0; i < step.hidden; ++i) state[i] *= output[i];
  }

  RecurrentClip m_clip;
  bool m_coupled;
};

}  // namespace

std::unique_ptr<Kernel> makeLstm(const Node& node, const Graph& graph) {
  return std::make_unique<RecurrentKernel>(node, graph, std::make_unique<LstmCell>(node));
}

}  // namespace quantscope
