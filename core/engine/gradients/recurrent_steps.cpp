#include "engine/gradients/recurrent_steps.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// sums [rows] += matrix [rows, columns] · x
void addProduct(const double* matrix, std::int64_t rows, std::int64_t columns, const double* x,
                double* sums) {
  for (std::int64_t row = 0; row < rows; ++row, matrix += columns) {
    double sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) sum += matrix[i] * x[i];
    sums[row] += sum;
  }
}

// The adjoint: dx += matrixᵀ · g, dMatrix += g · xᵀ.
void giveProduct(const double* matrix, std::int64_t rows, std::int64_t columns, const double* x,
                 const double* g, double* dx, double* dMatrix) {
  for (std::int64_t row = 0; row < rows; ++row, matrix += columns, dMatrix += columns) {
    for (std::int64_t i = 0; i < columns; ++i) {
      dx[i] += matrix[i] * g[row];
      dMatrix[i] += g[row] * x[i];
    }
  }
}

void addRow(const double* row, std::int64_t count, double* sums) {
  for (std::int64_t i = 0; row != nullptr && i < count; ++i) sums[i] += row[i];
}

void giveRow(const double* g, std::int64_t count, double* sums) {
  for (std::int64_t i = 0; sums != nullptr && i < count; ++i) sums[i] += g[i];
}

// sums [G·H] = W·x + R·h + biases
void sumGates(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
              std::int64_t sums, const double* x, const double* state, double* gates) {
  std::fill_n(gates, sums, 0.0);
  addProduct(weights.input, sums, extents.inputs, x, gates);
  addProduct(weights.recurrent, sums, extents.hidden, state, gates);
  addRow(weights.inputBias, sums, gates);
  addRow(weights.recurrentBias, sums, gates);
}

void giveGates(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
               std::int64_t sums, const double* x, const double* state, const double* g,
               double* dState, double* dx, const RecurrentCellWeights& dWeights) {
  giveProduct(weights.input, sums, extents.inputs, x, g, dx, dWeights.input);
  giveProduct(weights.recurrent, sums, extents.hidden, state, g, dState, dWeights.recurrent);
  giveRow(g, sums, dWeights.inputBias);
  giveRow(g, sums, dWeights.recurrentBias);
}

// h = tanh(W·x + R·h + b)
class RnnSteps final : public RecurrentSteps {
 public:
  std::int64_t gates() const override { return 1; }
  std::vector<std::string> activations() const override { return {"Tanh"}; }
  std::int64_t keptPerStep(std::int64_t hidden) const override { return hidden; }

  void forward(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
               const double* x, double* state, double* /*cell*/, double* kept) const override {
    sumGates(extents, weights, extents.hidden, x, state, kept);
    for (std::int64_t i = 0; i < extents.hidden; ++i) {
      kept[i] = std::tanh(kept[i]);
      state[extents.hidden + i] = kept[i];
    }
  }

  void backward(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
                const double* x, const double* state, const double* /*cell*/, const double* kept,
                double* dState, double* /*dCell*/, double* dx,
                const RecurrentCellWeights& dWeights) const override {
    std::vector<double> g(static_cast<std::size_t>(extents.hidden));
    for (std::int64_t i = 0; i < extents.hidden; ++i) {
      g[static_cast<std::size_t>(i)] = dState[i] * (1 - kept[i] * kept[i]);
    }
    std::fill_n(dState, extents.hidden, 0.0);
    giveGates(extents, weights, extents.hidden, x, state, g.data(), dState, dx, dWeights);
  }
};

// Gates i, o, f, c̃: c = f ⊙ c + i ⊙ c̃, h = o ⊙ tanh(c).
class LstmSteps final : public RecurrentSteps {
 public:
  std::int64_t gates() const override { return 4; }
  std::vector<std::string> activations() const override { return {"Sigmoid", "Tanh", "Tanh"}; }
  std::int64_t keptPerStep(std::int64_t hidden) const override { return 4 * hidden; }

  void forward(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
               const double* x, double* state, double* cell, double* kept) const override {
    const std::int64_t hidden = extents.hidden;
    sumGates(extents, weights, 4 * hidden, x, state, kept);
    for (std::int64_t i = 0; i < 3 * hidden; ++i) kept[i] = sigmoid(kept[i]);
    for (std::int64_t i = 3 * hidden; i < 4 * hidden; ++i) kept[i] = std::tanh(kept[i]);
    for (std::int64_t i = 0; i < hidden; ++i) {
      cell[hidden + i] = kept[2 * hidden + i] * cell[i] + kept[i] * kept[3 * hidden + i];
      state[hidden + i] = kept[hidden + i] * std::tanh(cell[hidden + i]);
    }
  }

  void backward(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
                const double* x, const double* state, const double* cell, const double* kept,
                double* dState, double* dCell, double* dx,
                const RecurrentCellWeights& dWeights) const override {
    const std::int64_t hidden = extents.hidden;
    std::vector<double> g(static_cast<std::size_t>(4 * hidden));
    for (std::int64_t i = 0; i < hidden; ++i) {
      const double input = kept[i];
      const double output = kept[hidden + i];
      const double forget = kept[2 * hidden + i];
      const double candidate = kept[3 * hidden + i];
      const double bend = std::tanh(cell[hidden + i]);
      const double dc = dCell[i] + dState[i] * output * (1 - bend * bend);
      double* const gate = g.data() + i;
      gate[0] = dc * candidate * input * (1 - input);
      gate[hidden] = dState[i] * bend * output * (1 - output);
      gate[2 * hidden] = dc * cell[i] * forget * (1 - forget);
      gate[3 * hidden] = dc * input * (1 - candidate * candidate);
      dCell[i] = dc * forget;
    }
    std::fill_n(dState, hidden, 0.0);
    giveGates(extents, weights, 4 * hidden, x, state, g.data(), dState, dx, dWeights);
  }
};

// Gates z, r, h̃: h = (1 − z) ⊙ h̃ + z ⊙ h. The candidate is tanh(W·x + b + R·(r ⊙ h) + b'), or
// tanh(W·x + b + r ⊙ (R·h + b')) with a linear map before the reset.
class GruSteps final : public RecurrentSteps {
 public:
  explicit GruSteps(bool linearBeforeReset) : m_linear(linearBeforeReset) {}
  std::int64_t gates() const override { return 3; }
  std::vector<std::string> activations() const override { return {"Sigmoid", "Tanh"}; }
  // The gates, then r ⊙ h, or R·h + b'.
  std::int64_t keptPerStep(std::int64_t hidden) const override { return 4 * hidden; }

  void forward(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
               const double* x, double* state, double* /*cell*/, double* kept) const override {
    const std::int64_t hidden = extents.hidden;
    double* const candidate = kept + 2 * hidden;
    double* const inner = kept + 3 * hidden;
    std::fill_n(kept, 4 * hidden, 0.0);
    addProduct(weights.input, 3 * hidden, extents.inputs, x, kept);
    addRow(weights.inputBias, 3 * hidden, kept);
    addProduct(weights.recurrent, 2 * hidden, hidden, state, kept);
    addRow(weights.recurrentBias, 2 * hidden, kept);
    for (std::int64_t i = 0; i < 2 * hidden; ++i) kept[i] = sigmoid(kept[i]);
    const double* const matrix = weights.recurrent + 2 * hidden * hidden;
    const double* const bias =
        weights.recurrentBias == nullptr ? nullptr : weights.recurrentBias + 2 * hidden;
    if (m_linear) {
      addProduct(matrix, hidden, hidden, state, inner);
      addRow(bias, hidden, inner);
      for (std::int64_t i = 0; i < hidden; ++i) candidate[i] += kept[hidden + i] * inner[i];
    } else {
      for (std::int64_t i = 0; i < hidden; ++i) inner[i] = kept[hidden + i] * state[i];
      addProduct(matrix, hidden, hidden, inner, candidate);
      addRow(bias, hidden, candidate);
    }
    for (std::int64_t i = 0; i < hidden; ++i) {
      candidate[i] = std::tanh(candidate[i]);
      state[hidden + i] = (1 - kept[i]) * candidate[i] + kept[i] * state[i];
    }
  }

  void backward(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
                const double* x, const double* state, const double* /*cell*/, const double* kept,
                double* dState, double* /*dCell*/, double* dx,
                const RecurrentCellWeights& dWeights) const override {
    const std::int64_t hidden = extents.hidden;
    const double* const update = kept;
    const double* const reset = kept + hidden;
    const double* const candidate = kept + 2 * hidden;
    const double* const inner = kept + 3 * hidden;
    std::vector<double> g(static_cast<std::size_t>(3 * hidden));
    std::vector<double> dInner(static_cast<std::size_t>(hidden));
    double* const dUpdate = g.data();
    double* const dReset = g.data() + hidden;
    double* const dCandidate = g.data() + 2 * hidden;
    for (std::int64_t i = 0; i < hidden; ++i) {
      dUpdate[i] = dState[i] * (state[i] - candidate[i]) * update[i] * (1 - update[i]);
      dCandidate[i] = dState[i] * (1 - update[i]) * (1 - candidate[i] * candidate[i]);
      dState[i] *= update[i];
    }
    const double* const matrix = weights.recurrent + 2 * hidden * hidden;
    double* const dMatrix = dWeights.recurrent + 2 * hidden * hidden;
    double* const dBias =
        dWeights.recurrentBias == nullptr ? nullptr : dWeights.recurrentBias + 2 * hidden;
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    if (m_linear) {
      for (std::int64_t i = 0; i < hidden; ++i) dInner[at(i)] = dCandidate[i] * reset[i];
      giveProduct(matrix, hidden, hidden, state, dInner.data(), dState, dMatrix);
      giveRow(dInner.data(), hidden, dBias);
      for (std::int64_t i = 0; i < hidden; ++i) dReset[i] = dCandidate[i] * inner[i];
    } else {
      giveProduct(matrix, hidden, hidden, inner, dCandidate, dInner.data(), dMatrix);
      giveRow(dCandidate, hidden, dBias);
      for (std::int64_t i = 0; i < hidden; ++i) {
        dReset[i] = dInner[at(i)] * state[i];
        dState[i] += dInner[at(i)] * reset[i];
      }
    }
    for (std::int64_t i = 0; i < hidden; ++i) dReset[i] *= reset[i] * (1 - reset[i]);
    giveProduct(weights.recurrent, 2 * hidden, hidden, state, g.data(), dState, dWeights.recurrent);
    giveRow(g.data(), 2 * hidden, dWeights.recurrentBias);
    giveProduct(weights.input, 3 * hidden, extents.inputs, x, g.data(), dx, dWeights.input);
    giveRow(g.data(), 3 * hidden, dWeights.inputBias);
  }

 private:
  bool m_linear;
};

}  // namespace

std::unique_ptr<RecurrentSteps> makeLstmSteps() {
  return std::make_unique<LstmSteps>();
}

std::unique_ptr<RecurrentSteps> makeGruSteps(bool linearBeforeReset) {
  return std::make_unique<GruSteps>(linearBeforeReset);
}

std::unique_ptr<RecurrentSteps> makeRnnSteps() {
  return std::make_unique<RnnSteps>();
}

}  // namespace quantscope
