#include "engine/execution.h"

#include <algorithm>

#include "base/error.h"
#include "engine/quantized_node.h"
#include "engine/repetition.h"

namespace quantscope {

struct Execution::Frame {
  BlockId block;
  NodeId owner;
  std::size_t position = 0;
  std::unique_ptr<Repetition> repetition;  // none for If
};

Execution::Execution(const Plan& plan, std::span<const std::pair<ValueId, Tensor>> given,
                     const AppliedQuantization* quantization, std::size_t batch)
    : m_plan(plan), m_quantization(quantization), m_batch(batch), m_slots(plan.slotCount()) {
  for (const auto& [value, tensor] : given) store(value, tensor);
  if (!plan.steps(Graph::mainBlock()).empty()) m_frames.push_back({Graph::mainBlock(), {}, 0, {}});
}

Execution::~Execution() = default;

bool Execution::finished() const {
  return m_frames.empty();
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

// A frame of the main block is popped with its last step; the frame of a body stays until one
// more step hands its results to the node that owns it.
NodeId Execution::step() {
  m_started = {};
  forgetPending();
  if (bodyEnded()) return leaveBody();

  Frame& frame = m_frames.back();
  const Plan::Step& step = m_plan.steps(frame.block)[frame.position];
  const Node& node = m_plan.engine().graph()[step.node];
  if (isControlFlow(node)) {
    enter(step.node);
    return {};
  }
  runNode(step);
  m_pending = step.lastReads;
  ++frame.position;
  if (!frame.owner.valid() && frame.position == m_plan.steps(frame.block).size()) m_frames.clear();
  return step.node;
}

bool Execution::bodyEnded() const {
  const Frame& frame = m_frames.back();
  return frame.owner.valid() && frame.position == m_plan.steps(frame.block).size();
}

void Execution::enter(NodeId id) {
  const Node& node = m_plan.engine().graph()[id];
  try {
    if (node.op == "If") {
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
  for (std::size_t i = 0; i < inputs.size(); ++i) store(inputs[i], std::move(tensors.at(i)));
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
    if (outputs[i].valid()) store(outputs[i], std::move((*results)[i]));
  }

  Frame& outer = m_frames.back();
  m_pending = m_plan.steps(outer.block)[outer.position].lastReads;
  ++outer.position;
  if (!outer.owner.valid() && outer.position == m_plan.steps(outer.block).size()) m_frames.clear();
  return owner;
}

void Execution::runNode(const Plan::Step& step) {
  const Engine& engine = m_plan.engine();
  const Node& node = engine.graph()[step.node];
  const NodeQuantization* applied =
      m_quantization == nullptr ? nullptr : &(*m_quantization)[step.node];
  const Layout preferred = preferredLayout(*engine.kernel(step.node));
  m_inputs.clear();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    m_inputs.push_back(takeInput(step, i, preferred));
  }
  m_outputs.assign(node.outputs.size(), Tensor());
  runQuantizedNode(engine, step.node, applied, m_batch, m_inputs, m_outputs);
  m_inputs.clear();
  for (std::size_t i = 0; i < m_outputs.size(); ++i) {
    if (node.outputs[i].valid()) store(node.outputs[i], std::move(m_outputs[i]));
  }
}

void Execution::forgetPending() {
  for (const ValueId value : m_pending) {
    const std::int32_t slot = m_plan.slot(value);
    if (slot >= 0) m_slots[static_cast<std::size_t>(slot)] = Slot{};
  }
  m_pending = {};
}

void Execution::store(ValueId id, Tensor tensor) {
  const std::int32_t index = m_plan.slot(id);
  if (index < 0) return;
  Slot& slot = m_slots[static_cast<std::size_t>(index)];
  if (tensor.layout() == Layout::ChannelsLast) {
    slot.channelsLast = std::move(tensor);
    slot.plain = Tensor();
  } else {
    slot.plain = std::move(tensor);
    slot.channelsLast = Tensor();
  }
}

// In the preferred layout where it is at hand; a conversion to Plain is kept for later readers.
Tensor Execution::value(ValueId id, Layout preferred) {
  if (!id.valid()) return {};
  const std::int32_t index = m_plan.slot(id);
  if (index < 0) {
    const Tensor* constant = m_plan.engine().constant(id);
    return constant == nullptr ? Tensor() : *constant;
  }
  Slot& slot = m_slots[static_cast<std::size_t>(index)];
  if (preferred == Layout::ChannelsLast && slot.channelsLast.defined()) return slot.channelsLast;
  if (!slot.plain.defined() && slot.channelsLast.defined()) {
    slot.plain = toLayout(slot.channelsLast, Layout::Plain);
  }
  return slot.plain;
}

// Moves the value out where nobody reads it afterwards, so that the kernel may overwrite it.
Tensor Execution::takeInput(const Plan::Step& step, std::size_t index, Layout preferred) {
  const std::vector<ValueId>& inputs = m_plan.engine().graph()[step.node].inputs;
  const ValueId id = inputs[index];
  if (id.valid() && m_plan.slot(id) < 0 && !m_plan.engine().kernel(step.node)->takesHalf()) {
    const Tensor* constant = m_plan.engine().widenedConstant(id);
    return constant == nullptr ? Tensor() : *constant;
  }
  Tensor tensor = value(id, preferred);
  const bool last = id.valid() && m_plan.slot(id) >= 0 &&
                    std::ranges::find(step.lastReads, id) != step.lastReads.end() &&
                    std::ranges::count(inputs, id) == 1;
  if (last) m_slots[static_cast<std::size_t>(m_plan.slot(id))] = Slot{};
  return tensor;
}

}  // namespace quantscope
