#include "engine/execution.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/error.h"
#include "engine/fusion/follow_up.h"
#include "engine/half_values.h"
#include "engine/quantized_node.h"
#include "engine/repetition/repetition.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

constexpr auto kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

struct Execution::Frame {
  BlockId block;
  NodeId owner;
  std::size_t position = 0;
  std::unique_ptr<Repetition> repetition;  // none for If
};

Execution::Execution(const Plan& plan, std::span<const std::pair<ValueId, Tensor>> given,
                     const AppliedQuantization* quantization, std::size_t batch)
    : m_plan(plan), m_quantization(quantization), m_batch(batch), m_values(plan) {
  for (const auto& [value, tensor] : given) m_values.store(value, tensor);
  if (!plan.steps(Graph::mainBlock()).empty()) m_frames.push_back({Graph::mainBlock(), {}, 0, {}});
}

Execution::Execution(const Plan& plan, std::span<const std::pair<ValueId, StoredValue>> given,
                     const AppliedQuantization* quantization, std::size_t batch)
    : Execution(plan, std::span<const std::pair<ValueId, Tensor>>(), quantization, batch) {
  for (const auto& [value, stored] : given) m_values.store(value, stored.tensor, stored.half);
}

Execution::Execution(const Execution& other, const AppliedQuantization* quantization)
    : m_plan(other.m_plan),
      m_quantization(quantization),
      m_batch(other.m_batch),
      m_values(other.m_values),
      m_stepsDone(other.m_stepsDone),
      m_pending(other.m_pending) {
  if (other.depth() > 1) throw std::logic_error("an execution inside a sub-graph is not copied");
  if (!other.finished()) {
    m_frames.push_back({Graph::mainBlock(), {}, other.m_frames.front().position, {}});
  }
}

Execution::~Execution() = default;

bool Execution::finished() const {
  return m_frames.empty();
}

std::size_t Execution::stepsDone() const {
  return m_stepsDone;
}

std::size_t Execution::depth() const {
  return m_frames.size();
}

NodeId Execution::next() const {
  const Frame& frame = m_frames.back();
  return bodyEnded() ? frame.owner : m_plan.steps(frame.block)[frame.position].node;
}

void Execution::run() {
  while (!finished()) step();
}

NodeId Execution::step() {
  m_started = {};
  forgetPending();
  if (bodyEnded()) return leaveBody();

  Frame& frame = m_frames.back();
  const Plan::Step& step = m_plan.steps(frame.block)[frame.position];
  // What a plan runs without a kernel is control flow.
  if (m_plan.engine().kernel(step.node) == nullptr) {
    enter(step.node);
    return {};
  }
  runStep(step);
  m_pending = &step;
  advance(frame);
  return step.last();
}

// A frame of the main block is popped with its last step; the frame of a body stays until one
// more step hands its results to the node that owns it.
void Execution::advance(Frame& frame) {
  ++frame.position;
  if (frame.owner.valid()) return;
  m_stepsDone = frame.position;
  if (frame.position == m_plan.steps(frame.block).size()) m_frames.clear();
}

bool Execution::bodyEnded() const {
  const Frame& frame = m_frames.back();
  return frame.owner.valid() && frame.position == m_plan.steps(frame.block).size();
}

void Execution::enter(NodeId id) {
  const Node& node = m_plan.engine().graph()[id];
  try {
    if (operatorTraits(node).controlFlow == ControlFlow::Branch) {
      enterIf(node, id);
    } else {
      enterRepetition(node, id);
    }
  } catch (const Error& error) {
    throw error.at({.file = {}, .node = node.name, .value = {}});
  }
}

void Execution::enterIf(const Node& node, NodeId id) {
  const Tensor condition = value(node.inputs.at(0));
  if (condition.elementCount() != 1) {
    throw Error(ErrorCode::InvalidModel, "the condition of If is not a single boolean");
  }
  const bool chosen = condition.values<bool>()[0];
  m_frames.push_back({node.body(chosen ? "then" : "else"), id, 0, {}});
}

void Execution::enterRepetition(const Node& node, NodeId id) {
  std::vector<Tensor> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(value(input));
  m_frames.push_back(
      {node.body("body"), id, 0, makeRepetition(m_plan.engine().graph(), node, inputs)});
  startIteration(m_frames.back());
}

void Execution::startIteration(Frame& frame) {
  if (!frame.repetition->running()) {
    frame.position = m_plan.steps(frame.block).size();
    return;
  }
  const std::vector<ValueId>& inputs = m_plan.engine().graph()[frame.block].inputs;
  std::vector<Tensor> tensors = frame.repetition->bodyInputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    m_values.store(inputs[i], std::move(tensors.at(i)));
  }
  frame.position = 0;
  m_started = frame.block;
}

// True where another iteration has begun.
bool Execution::finishIteration(Frame& frame) {
  if (!frame.repetition->running()) return false;
  std::vector<Tensor> results;
  for (const ValueId output : m_plan.engine().graph()[frame.block].outputs) {
    results.push_back(value(output));
  }
  frame.repetition->finish(results);
  startIteration(frame);
  return frame.repetition->running();
}

// The results of the body at hand; none where it runs once more.
std::optional<std::vector<Tensor>> Execution::finishBody(Frame& frame) {
  const Graph& graph = m_plan.engine().graph();
  try {
    if (frame.repetition) {
      if (finishIteration(frame)) return {};
      return frame.repetition->results();
    }
  } catch (const Error& error) {
    throw error.at({.file = {}, .node = graph[frame.owner].name, .value = {}});
  }
  std::vector<Tensor> results;
  for (const ValueId output : graph[frame.block].outputs) results.push_back(value(output));
  return results;
}

NodeId Execution::leaveBody() {
  Frame& frame = m_frames.back();
  const NodeId owner = frame.owner;
  std::optional<std::vector<Tensor>> results = finishBody(frame);
  if (!results) return {};
  m_frames.pop_back();
  const std::vector<ValueId>& outputs = m_plan.engine().graph()[owner].outputs;
  for (std::size_t i = 0; i < outputs.size() && i < results->size(); ++i) {
    if (outputs[i].valid()) m_values.store(outputs[i], std::move((*results)[i]));
  }

  Frame& outer = m_frames.back();
  m_pending = &m_plan.steps(outer.block)[outer.position];
  advance(outer);
  return owner;
}

bool Execution::quantized(NodeId node) const {
  return m_quantization != nullptr && !(*m_quantization)[node].empty();
}

void Execution::runStep(const Plan::Step& step) {
  const auto isQuantized = [this](const auto& member) { return quantized(member.node); };
  m_half = ElementType::Float32;
  if (step.followers.empty()) {
    runNode(step.node, step.lastReads);
  } else if (isQuantized(step) || std::ranges::any_of(step.followers, isQuantized)) {
    runNode(step.node, step.lastReads);
    for (const auto& follower : step.followers) runNode(follower.node, follower.lastReads);
  } else {
    runFused(step);
  }
}

void Execution::runNode(NodeId node, std::span<const ValueId> lastReads) {
  m_half = ElementType::Float32;
  if (quantized(node)) {
    takeInputs(node, lastReads, kNone, Halves::AsTheyAre);
    m_outputs.assign(m_plan.engine().graph()[node].outputs.size(), Tensor());
    runQuantizedNode(m_plan.engine(), node, &(*m_quantization)[node], m_batch, m_inputs, m_outputs);
    m_inputs.clear();
  } else {
    takeInputs(node, lastReads, kNone);
    runKernelOnInputs(node);
    for (std::size_t i = 0; isHalf(m_half) && i < m_outputs.size(); ++i) {
      ElementChain chain(std::move(m_outputs[i]));
      roundHalves(node, chain);
      m_outputs[i] = chain.finish();
    }
  }
  storeOutputs(node, 0);
}

void Execution::runFused(const Plan::Step& step) {
  const ValueId result = m_plan.engine().graph()[step.last()].outputs[0];
  std::shared_ptr<const FollowerProgram> known;
  FollowUp next([&](const Shape& shape, Layout layout) {
    known = knownProgram(step, shape, layout);
    return std::shared_ptr<const ElementProgram>(known, known ? &known->program : nullptr);
  });
  ElementChain chain = chainFrom(step, next);
  const Tensor& x = chain.carrier();
  if (!next.taken() && chain.empty() && x.type() == ElementType::Float32) {
    known = knownProgram(step, x.shape(), x.layout());
  }
  if (known != nullptr) {
    Tensor y = next.taken() ? chain.finish() : runProgram(known->program, chain.finish());
    return m_values.store(result, y.reinterpreted(y.shape(), known->resultLayout), m_half);
  }
  const Shape shape = chain.carrier().shape();
  const Layout layout = chain.carrier().layout();
  roundHalves(step.node, chain);
  bool whole = true;
  for (const Plan::Step::Follower& follower : step.followers) {
    whole = follow(follower, chain) && whole;
  }
  if (whole && step.programs != nullptr) {
    step.programs->insert(std::make_shared<FollowerProgram>(
        FollowerProgram{shape, layout, m_half, chain.carrier().layout(), chain.program()}));
  }
  Tensor y = chain.finish();
  const ElementType half = y.type() == ElementType::Float32 ? m_half : ElementType::Float32;
  m_values.store(result, std::move(y), half);
}

std::shared_ptr<const FollowerProgram> Execution::knownProgram(const Plan::Step& step,
                                                               const Shape& shape,
                                                               Layout layout) const {
  if (step.programs == nullptr) return nullptr;
  return step.programs->find([&](const FollowerProgram& known) {
    return known.shape == shape && known.layout == layout && known.half == m_half;
  });
}

// An elementwise first node is the first operation of the chain; any other gives the input of the
// chain.
ElementChain Execution::chainFrom(const Plan::Step& step, FollowUp& next) {
  takeInputs(step.node, step.lastReads, kNone);
  const bool elementwise = m_plan.engine().kernel(step.node)->elementwise();
  for (std::size_t i = 0; elementwise && i < m_inputs.size(); ++i) {
    if (!m_inputs[i].defined() || m_inputs[i].type() != ElementType::Float32) break;
    ElementChain chain(m_inputs[i]);
    if (!appended(step.node, i, chain)) continue;
    m_inputs.clear();
    return chain;
  }
  runKernelOnInputs(step.node, &next);
  storeOutputs(step.node, 1);
  return ElementChain(std::move(m_outputs[0]));
}

bool Execution::appended(NodeId node, std::size_t chained, ElementChain& chain) {
  try {
    return m_plan.engine().kernel(node)->appendTo(chain, m_inputs, chained);
  } catch (const Error& error) {
    throw error.at({.file = {}, .node = m_plan.engine().graph()[node].name, .value = {}});
  }
}

// True where the node's operation joined the chain; else the chain has been carried out, and
// starts anew behind the node.
bool Execution::follow(const Plan::Step::Follower& follower, ElementChain& chain) {
  takeInputs(follower.node, follower.lastReads, follower.input);
  m_inputs[follower.input] = chain.carrier();
  const bool joined = chain.carrier().type() == ElementType::Float32 &&
                      appended(follower.node, follower.input, chain);
  if (joined) {
    m_inputs.clear();
  } else {
    m_inputs[follower.input] = Tensor();
    m_inputs[follower.input] = chain.finish();
    runKernelOnInputs(follower.node);
    chain = ElementChain(std::move(m_outputs[0]));
  }
  roundHalves(follower.node, chain);
  return joined;
}

// Results computed from halves are rounded; values that are only moved need no rounding.
void Execution::roundHalves(NodeId node, ElementChain& chain) const {
  const Tensor& x = chain.carrier();
  if (!isHalf(m_half) || !x.defined() || x.type() != ElementType::Float32) return;
  if (!movesHalfTypes(m_plan.engine().graph()[node])) chain.append(roundingTo(m_half));
}

void Execution::runKernelOnInputs(NodeId id, FollowUp* next) {
  const Engine& engine = m_plan.engine();
  const Node& node = engine.graph()[id];
  m_outputs.assign(node.outputs.size(), Tensor());
  runKernel(*engine.kernel(id), node, m_inputs, m_outputs, next);
  m_inputs.clear();
}

void Execution::forgetPending() {
  if (m_pending == nullptr) return;
  m_values.forget(m_pending->lastReads);
  for (const Plan::Step::Follower& follower : m_pending->followers) {
    m_values.forget(follower.lastReads);
  }
  m_pending = nullptr;
}

void Execution::storeOutputs(NodeId node, std::size_t first) {
  const std::vector<ValueId>& outputs = m_plan.engine().graph()[node].outputs;
  for (std::size_t i = first; i < m_outputs.size(); ++i) {
    if (!outputs[i].valid()) continue;
    const bool wide = m_outputs[i].type() == ElementType::Float32;
    m_values.store(outputs[i], std::move(m_outputs[i]), wide ? m_half : ElementType::Float32);
  }
}

Tensor Execution::value(ValueId id, Layout preferred) {
  if (!id.valid()) return {};
  if (!m_values.has(id)) {
    const Tensor* constant = m_plan.engine().constant(id);
    return constant == nullptr ? Tensor() : *constant;
  }
  const auto [tensor, half] = m_values.read(id, preferred);
  return isHalf(half) ? fromFloat32(tensor, half) : tensor;
}

std::optional<Shape> Execution::shapeOf(ValueId id) const {
  if (!id.valid()) return std::nullopt;
  const Tensor* constant = m_values.has(id) ? nullptr : m_plan.engine().constant(id);
  const Tensor& tensor = constant == nullptr ? stored(id).tensor : *constant;
  return tensor.defined() ? std::optional(tensor.shape()) : std::nullopt;
}

// Fills m_inputs; the input at `except` stays undefined. If halves are widened, m_half is their
// type.
void Execution::takeInputs(NodeId id, std::span<const ValueId> lastReads, std::size_t except,
                           Halves halves) {
  const Kernel& kernel = *m_plan.engine().kernel(id);
  const Node& node = m_plan.engine().graph()[id];
  const Layout preferred = preferredLayout(kernel);
  if (kernel.takesHalf() && !movesHalfTypes(node)) halves = Halves::AsTheyAre;
  m_inputs.clear();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId input = node.inputs[i];
    if (i == except || !input.valid()) {
      m_inputs.emplace_back();
      continue;
    }
    const bool last = std::ranges::find(lastReads, input) != lastReads.end() &&
                      std::ranges::count(node.inputs, input) == 1;
    m_inputs.push_back(!m_values.has(input) ? constantInput(kernel, input)
                                            : takeInput(input, last, preferred, halves));
  }
  if (halves == Halves::Widened && (isHalf(m_half) || !kernel.takesHalf())) widenInputs();
}

Tensor Execution::constantInput(const Kernel& kernel, ValueId id) const {
  const Engine& engine = m_plan.engine();
  const Tensor* constant = kernel.takesHalf() ? engine.constant(id) : engine.widenedConstant(id);
  return constant == nullptr ? Tensor() : *constant;
}

// Moves the value out if this is its last use, so that the kernel may overwrite it.
Tensor Execution::takeInput(ValueId id, bool last, Layout preferred, Halves halves) {
  StoredValue value = last ? m_values.take(id, preferred) : m_values.read(id, preferred);
  if (!isHalf(value.half)) return std::move(value.tensor);
  if (halves == Halves::AsTheyAre) return fromFloat32(value.tensor, value.half);
  m_half = value.half;
  return std::move(value.tensor);
}

void Execution::widenInputs() {
  for (Tensor& input : m_inputs) {
    if (!input.defined() || !isHalf(input.type())) continue;
    m_half = input.type();
    input = toFloat32(input);
  }
}

}  // namespace quantscope
