// GRU, LSTM and RNN through time: each sample's sequence is run once more with its gates kept, then
// walked back. Everything is computed in double.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/gradients/gradient_registry.h"
#include "engine/gradients/recurrent_steps.h"
#include "engine/operators/convert.h"
#include "engine/operators/recurrence/recurrent_run.h"

namespace quantscope {
namespace {

constexpr std::size_t kSequence = 0;
constexpr std::size_t kInputWeights = 1;
constexpr std::size_t kRecurrentWeights = 2;
constexpr std::size_t kBiases = 3;
constexpr std::size_t kSequenceLengths = 4;
constexpr std::size_t kFirstState = 5;
constexpr std::size_t kFirstCellState = 6;
constexpr std::size_t kPeephole = 7;

[[noreturn]] void throwWithout(const std::string& what) {
  throw Error(ErrorCode::UnsupportedOperation, "a recurrence with " + what);
}

void requirePlainCell(const Node& node, const RecurrentSteps& steps, std::size_t directions) {
  if (node.has("clip")) throwWithout("clipping");
  if (node.integer("input_forget", 0) != 0) throwWithout("coupled gates");
  if (node.inputs.size() > kPeephole && node.inputs[kPeephole].valid()) throwWithout("peepholes");
  const Attribute* given = node.find("activations");
  if (given == nullptr) return;
  const std::vector<std::string> usual = steps.activations();
  const auto* names = std::get_if<std::vector<std::string>>(&given->data);
  for (std::size_t i = 0; names != nullptr && i < usual.size() * directions; ++i) {
    if (i >= names->size() || (*names)[i] != usual[i % usual.size()]) {
      throwWithout("other activations than its usual ones");
    }
  }
}

// An input as double, or nothing.
Tensor wide(const GradientCall& call, std::size_t index) {
  const Tensor tensor = call.plainInput(index);
  return tensor.defined() ? convertedTo(tensor, ElementType::Float64) : tensor;
}

Tensor wideCotangent(const GradientCall& call, std::size_t index) {
  const Tensor tensor = call.plainCotangent(index);
  return tensor.defined() ? convertedTo(tensor, ElementType::Float64) : tensor;
}

const double* rowOf(const Tensor& tensor, std::int64_t row, std::int64_t width) {
  return tensor.defined() ? tensor.values<double>().data() + row * width : nullptr;
}

double* mutableRowOf(Tensor& tensor, std::int64_t row, std::int64_t width) {
  return tensor.defined() ? tensor.mutableValues<double>().data() + row * width : nullptr;
}

class RecurrenceGradient final : public Gradient {
 public:
  RecurrenceGradient(const Node& node, std::unique_ptr<RecurrentSteps> steps)
      : m_steps(std::move(steps)),
        m_batchFirst(node.integer("layout", 0) != 0),
        m_backwards(node.text("direction", "forward") == "reverse"),
        m_directions(node.text("direction", "forward") == "bidirectional" ? 2 : 1) {
    requirePlainCell(node, *m_steps, static_cast<std::size_t>(m_directions));
  }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    Run run(*this, call);
    for (std::int64_t direction = 0; direction < m_directions; ++direction) {
      for (std::int64_t sample = 0; sample < run.extents.samples; ++sample) {
        run.walk(direction, sample);
      }
    }
    for (std::size_t i = 0; i < call.wanted.size(); ++i) {
      if (call.wanted[i] == 0 || i == kSequenceLengths) continue;
      results[i] = convertedTo(run.results[i], call.type());
    }
  }

 private:
  struct Run {
    Run(const RecurrenceGradient& gradient, const GradientCall& call);
    void walk(std::int64_t direction, std::int64_t sample);
    void forward(std::int64_t direction, std::int64_t sample);
    void backward(std::int64_t direction, std::int64_t sample);
    bool reversed(std::int64_t direction) const { return gradient.m_backwards || direction == 1; }
    std::int64_t place(std::int64_t direction, std::int64_t sample, std::int64_t t) const {
      return reversed(direction) ? extents.length(sample) - 1 - t : t;
    }
    RecurrentCellWeights weightsOf(std::int64_t direction) const;
    RecurrentCellWeights cotangentsOf(std::int64_t direction);

    const RecurrenceGradient& gradient;
    RecurrentExtents extents{};
    std::vector<Tensor> inputs;      // as double
    std::vector<Tensor> cotangents;  // of Y, Y_h, Y_c
    std::vector<Tensor> results;     // by input
    std::vector<double> states;      // [steps + 1, H] of the sample at hand
    std::vector<double> cellStates;  // likewise
    std::vector<double> kept;        // [steps, …]: what the cell keeps of a step
  };

  std::unique_ptr<RecurrentSteps> m_steps;
  bool m_batchFirst;
  bool m_backwards;
  std::int64_t m_directions;
};

RecurrenceGradient::Run::Run(const RecurrenceGradient& of, const GradientCall& call)
    : gradient(of), results(call.inputs.size()) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    inputs.push_back(i == kSequenceLengths ? call.plainInput(i) : wide(call, i));
  }
  inputs.resize(std::max(inputs.size(), kPeephole));
  for (std::size_t i = 0; i < 3; ++i) cotangents.push_back(wideCotangent(call, i));
  const Shape& x = inputs[kSequence].shape();
  const Shape& r = inputs[kRecurrentWeights].shape();
  extents = {.steps = x[gradient.m_batchFirst ? 1 : 0],
             .samples = x[gradient.m_batchFirst ? 0 : 1],
             .inputs = x[2],
             .hidden = r[2],
             .gates = gradient.m_steps->gates(),
             .directions = gradient.m_directions,
             .batchFirst = gradient.m_batchFirst,
             .lengths = {}};
  if (inputs[kSequenceLengths].defined()) extents.lengths = toIntegers(inputs[kSequenceLengths]);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (i == kSequenceLengths || !inputs[i].defined()) continue;
    results[i] = Tensor::zeros(ElementType::Float64, inputs[i].shape());
  }
  results.resize(std::max(results.size(), kPeephole));
}

RecurrentCellWeights RecurrenceGradient::Run::weightsOf(std::int64_t direction) const {
  const std::int64_t sums = extents.sums();
  const auto part = [&](std::size_t input, std::int64_t width) {
    return const_cast<double*>(rowOf(inputs[input], direction, width));
  };
  double* const bias = part(kBiases, 2 * sums);
  return {part(kInputWeights, sums * extents.inputs),
          part(kRecurrentWeights, sums * extents.hidden), bias,
          bias == nullptr ? nullptr : bias + sums};
}

RecurrentCellWeights RecurrenceGradient::Run::cotangentsOf(std::int64_t direction) {
  const std::int64_t sums = extents.sums();
  double* const bias = mutableRowOf(results[kBiases], direction, 2 * sums);
  return {mutableRowOf(results[kInputWeights], direction, sums * extents.inputs),
          mutableRowOf(results[kRecurrentWeights], direction, sums * extents.hidden), bias,
          bias == nullptr ? nullptr : bias + sums};
}

void RecurrenceGradient::Run::walk(std::int64_t direction, std::int64_t sample) {
  forward(direction, sample);
  backward(direction, sample);
}

void RecurrenceGradient::Run::forward(std::int64_t direction, std::int64_t sample) {
  const std::int64_t hidden = extents.hidden;
  const std::int64_t length = extents.length(sample);
  const std::int64_t stateRow = extents.stateRow(direction, sample);
  const auto start = [&](std::vector<double>& sequence, std::size_t input) {
    sequence.assign(static_cast<std::size_t>((length + 1) * hidden), 0.0);
    if (const double* first = rowOf(inputs[input], stateRow, hidden)) {
      std::copy_n(first, hidden, sequence.data());
    }
  };
  start(states, kFirstState);
  start(cellStates, kFirstCellState);
  const std::int64_t perStep = gradient.m_steps->keptPerStep(hidden);
  kept.assign(static_cast<std::size_t>(length * perStep), 0.0);
  const RecurrentCellWeights weights = weightsOf(direction);
  for (std::int64_t t = 0; t < length; ++t) {
    const std::int64_t row = extents.inputRow(place(direction, sample, t), sample);
    gradient.m_steps->forward({.inputs = extents.inputs, .hidden = hidden}, weights,
                              rowOf(inputs[kSequence], row, extents.inputs),
                              states.data() + t * hidden, cellStates.data() + t * hidden,
                              kept.data() + t * perStep);
  }
}

void RecurrenceGradient::Run::backward(std::int64_t direction, std::int64_t sample) {
  const std::int64_t hidden = extents.hidden;
  const std::int64_t length = extents.length(sample);
  const std::int64_t stateRow = extents.stateRow(direction, sample);
  const std::int64_t perStep = gradient.m_steps->keptPerStep(hidden);
  std::vector<double> dState(static_cast<std::size_t>(hidden));
  std::vector<double> dCell(static_cast<std::size_t>(hidden));
  if (const double* last = rowOf(cotangents[1], stateRow, hidden)) {
    std::copy_n(last, hidden, dState.data());
  }
  if (const double* last = rowOf(cotangents[2], stateRow, hidden)) {
    std::copy_n(last, hidden, dCell.data());
  }
  const RecurrentCellWeights weights = weightsOf(direction);
  const RecurrentCellWeights dWeights = cotangentsOf(direction);
  for (std::int64_t t = length; t-- > 0;) {
    const std::int64_t at = place(direction, sample, t);
    if (const double* dy = rowOf(cotangents[0], extents.outputRow(direction, at, sample), hidden)) {
      for (std::int64_t i = 0; i < hidden; ++i) dState[static_cast<std::size_t>(i)] += dy[i];
    }
    const std::int64_t row = extents.inputRow(at, sample);
    gradient.m_steps->backward({.inputs = extents.inputs, .hidden = hidden}, weights,
                               rowOf(inputs[kSequence], row, extents.inputs),
                               states.data() + t * hidden, cellStates.data() + t * hidden,
                               kept.data() + t * perStep, dState.data(), dCell.data(),
                               mutableRowOf(results[kSequence], row, extents.inputs), dWeights);
  }
  if (double* to = mutableRowOf(results[kFirstState], stateRow, hidden)) {
    std::copy_n(dState.data(), hidden, to);
  }
  if (double* to = mutableRowOf(results[kFirstCellState], stateRow, hidden)) {
    std::copy_n(dCell.data(), hidden, to);
  }
}

std::unique_ptr<Gradient> makeLstmGradient(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<RecurrenceGradient>(node, makeLstmSteps());
}

std::unique_ptr<Gradient> makeGruGradient(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<RecurrenceGradient>(
      node, makeGruSteps(node.integer("linear_before_reset", 0) != 0));
}

std::unique_ptr<Gradient> makeRnnGradient(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<RecurrenceGradient>(node, makeRnnSteps());
}

}  // namespace

void registerRecurrenceGradients(GradientRegistry& registry) {
  registry.add("LSTM", makeLstmGradient);
  registry.add("GRU", makeGruGradient);
  registry.add("RNN", makeRnnGradient);
}

}  // namespace quantscope
