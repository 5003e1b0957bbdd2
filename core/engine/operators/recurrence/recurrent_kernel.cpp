#include "engine/operators/recurrence/recurrent_kernel.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.h"
#include "engine/operators/constant_inputs.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

constexpr std::size_t kX = 0;
constexpr std::size_t kW = 1;
constexpr std::size_t kR = 2;
constexpr std::size_t kB = 3;
constexpr std::size_t kLengths = 4;
constexpr std::size_t kInitialState = 5;
constexpr std::size_t kInitialCellState = 6;
constexpr std::size_t kPeepholes = 7;

std::vector<std::string> activationNames(const Node& node, const RecurrentCell& cell,
                                         std::int64_t directions) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < directions; ++i) {
    for (std::string& name : cell.defaultActivations()) names.push_back(std::move(name));
  }
  const Attribute* given = node.find("activations");
  if (given == nullptr) return names;
  const auto* list = std::get_if<std::vector<std::string>>(&given->data);
  if (list == nullptr || list->size() < names.size()) {
    throw Error(ErrorCode::InvalidModel,
                node.op + " needs " + std::to_string(names.size()) + " activations");
  }
  return {list->begin(), list->begin() + static_cast<std::ptrdiff_t>(names.size())};
}

// alpha and beta are lists with values for only those functions that have such a constant.
std::vector<RecurrentActivation> readActivations(const Node& node, const RecurrentCell& cell,
                                                 std::int64_t directions) {
  const std::vector<float> alphas = node.reals("activation_alpha");
  const std::vector<float> betas = node.reals("activation_beta");
  std::size_t alpha = 0;
  std::size_t beta = 0;
  std::vector<RecurrentActivation> activations;
  for (const std::string& name : activationNames(node, cell, directions)) {
    const int constants = RecurrentActivation::constantCount(name);
    const bool hasAlpha = constants >= 1 && alpha < alphas.size();
    const bool hasBeta = constants >= 2 && beta < betas.size();
    activations.emplace_back(name, hasAlpha ? &alphas[alpha++] : nullptr,
                             hasBeta ? &betas[beta++] : nullptr);
  }
  return activations;
}

void requireShape(const Tensor& tensor, const Shape& shape, const char* what) {
  if (!tensor.defined() || tensor.shape() == shape) return;
  throw Error(ErrorCode::InvalidParameters, std::string(what) + " of shape " +
                                                toString(tensor.shape()) +
                                                " should have the shape " + toString(shape));
}

std::vector<std::int64_t> readLengths(const Tensor& lengths, std::int64_t steps) {
  if (!lengths.defined()) return {};
  std::vector<std::int64_t> result = toIntegers(lengths);
  for (const std::int64_t length : result) {
    if (length >= 0 && length <= steps) continue;
    throw Error(ErrorCode::InvalidData, "a sequence of length " + std::to_string(length) +
                                            " does not fit " + std::to_string(steps) + " steps");
  }
  return result;
}

// Part `index` of a tensor whose first axis counts directions; empty where it is undefined.
std::span<const float> partOf(const Tensor& tensor, std::int64_t index) {
  if (!tensor.defined()) return {};
  const std::size_t width = tensor.elementCount() / static_cast<std::size_t>(tensor.shape()[0]);
  return tensor.values<float>().subspan(static_cast<std::size_t>(index) * width, width);
}

}  // namespace

RecurrentKernel::RecurrentKernel(const Node& node, const Graph& graph,
                                 std::unique_ptr<RecurrentCell> cell)
    : m_cell(std::move(cell)),
      m_batchFirst(node.integer("layout", 0) != 0),
      m_hiddenSize(node.integer("hidden_size", 0)) {
  const std::string direction = node.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    throw Error(ErrorCode::InvalidModel,
                node.op + " has the unknown direction '" + direction + "'");
  }
  m_directions = direction == "bidirectional" ? 2 : 1;
  m_backwards = direction == "reverse";
  m_activations = readActivations(node, *m_cell, m_directions);
  const bool constant = inputIsConstant(node, graph, kW);
  for (std::int64_t i = 0; i < m_directions; ++i) {
    m_products.push_back(std::make_unique<MatrixProduct>(constant, false));
  }
}

RecurrentExtents RecurrentKernel::extentsOf(std::span<Tensor> inputs) const {
  const Shape& x = requiredInput(inputs, kX).shape();
  const Shape& r = requiredInput(inputs, kR).shape();
  if (x.rank() != 3 || r.rank() != 3) {
    throw Error(ErrorCode::InvalidParameters, "an input of shape " + toString(x) +
                                                  " and recurrent weights of shape " + toString(r) +
                                                  " make no sequence");
  }
  if (m_hiddenSize != 0 && m_hiddenSize != r[2]) {
    throw Error(ErrorCode::InvalidParameters, "recurrent weights of shape " + toString(r) +
                                                  " do not fit the hidden size " +
                                                  std::to_string(m_hiddenSize));
  }
  RecurrentExtents extents{.steps = x[m_batchFirst ? 1 : 0],
                           .samples = x[m_batchFirst ? 0 : 1],
                           .inputs = x[2],
                           .hidden = r[2],
                           .gates = m_cell->gates(),
                           .directions = m_directions,
                           .batchFirst = m_batchFirst,
                           .lengths = {}};
  requireShapes(inputs, extents);
  extents.lengths = readLengths(inputOrUndefined(inputs, kLengths), extents.steps);
  return extents;
}

void RecurrentKernel::requireShapes(std::span<Tensor> inputs,
                                    const RecurrentExtents& extents) const {
  const std::int64_t sums = extents.sums();
  const Shape state = extents.stateShape();
  requireShape(requiredInput(inputs, kW), {m_directions, sums, extents.inputs}, "a weight tensor");
  requireShape(inputs[kR], {m_directions, sums, extents.hidden}, "a recurrent weight tensor");
  requireShape(inputOrUndefined(inputs, kB), {m_directions, 2 * sums}, "a bias");
  requireShape(inputOrUndefined(inputs, kLengths), {extents.samples}, "a list of lengths");
  requireShape(inputOrUndefined(inputs, kInitialState), state, "an initial state");
  if (!m_cell->hasCellState()) return;
  requireShape(inputOrUndefined(inputs, kInitialCellState), state, "an initial cell state");
  requireShape(inputOrUndefined(inputs, kPeepholes), {m_directions, 3 * extents.hidden},
               "a peephole tensor");
}

void RecurrentKernel::runOne(std::int64_t direction, const RecurrentWeights& weights,
                             const RecurrentExtents& extents, std::span<Tensor> inputs,
                             std::span<Tensor> results) const {
  const auto index = static_cast<std::size_t>(direction);
  const bool hasCell = m_cell->hasCellState();
  const Tensor peepholes = hasCell ? inputOrUndefined(inputs, kPeepholes) : Tensor();
  const std::int64_t rows = extents.steps * extents.samples;
  Tensor sums(ElementType::Float32, Shape{rows, extents.sums()});
  m_products[index]->run(inputs[kX].values<float>().data(), rows, weights.input[index],
                         weights.bias[index], sums.mutableValues<float>().data());
  const std::span<const float> biases = partOf(weights.b, direction);
  const std::size_t count = m_activations.size() / m_products.size();
  RecurrentStates states(extents, direction, inputOrUndefined(inputs, kInitialState));
  RecurrentStates cellStates(extents, direction,
                             hasCell ? inputOrUndefined(inputs, kInitialCellState) : Tensor());
  runDirection(*m_cell, extents,
               {.index = direction,
                .backwards = m_backwards || direction == 1,
                .sums = sums.mutableValues<float>().data(),
                .recurrentWeights = weights.recurrent[index].values<float>().data(),
                .recurrentBias = biases.subspan(biases.size() / 2),
                .peepholes = partOf(peepholes, direction),
                .activations = std::span(m_activations).subspan(index * count, count)},
               states, cellStates, results[0]);
  states.store(results[1]);
  if (hasCell) cellStates.store(results[2]);
}

void RecurrentKernel::run(std::span<Tensor> inputs, std::span<Tensor> outputs) const {
  const RecurrentExtents extents = extentsOf(inputs);
  const auto weights = m_weights.get(inputs[kW], inputs[kR], inputOrUndefined(inputs, kB),
                                     m_cell->ownBiasGates() * extents.hidden);
  std::array<Tensor, 3> results{Tensor(ElementType::Float32, extents.outputShape()),
                                Tensor(ElementType::Float32, extents.stateShape()),
                                Tensor(ElementType::Float32, extents.stateShape())};
  for (std::int64_t direction = 0; direction < m_directions; ++direction) {
    runOne(direction, *weights, extents, inputs, results);
  }
  const std::size_t count = m_cell->hasCellState() ? 3 : 2;
  for (std::size_t i = 0; i < count; ++i) setOutput(outputs, i, std::move(results[i]));
}

}  // namespace quantscope
