#include "engine/engine.h"

#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "base/workers.h"
#include "engine/half_values.h"
#include "engine/operator_registry.h"
#include "graph/operator_traits.h"
#include "onnx/operator_versions.h"

namespace quantscope {
namespace {

// Larger results of constant arithmetic are computed in every run rather than kept for all.
constexpr std::size_t kLargestFoldedBytes = std::size_t{64} << 20;

// A graph that was made in memory is known by nothing but itself.
ContentId contentOfNoModel() {
  static std::atomic<std::uint64_t> count{0};
  return ContentHasher().add("graph in memory").add(++count).id();
}

// Uses shape inference: a few bytes of a file can request more elements than memory holds.
bool isTooLargeToFold(const Graph& graph, const Node& node) {
  double bytes = 0;
  for (const ValueId output : node.outputs) {
    if (!output.valid() || !graph[output].type.shape) continue;
    double elements = 1;
    for (const Dimension& dimension : *graph[output].type.shape) {
      elements *= dimension.known() ? static_cast<double>(dimension.extent) : 0.0;
    }
    bytes += elements *
             static_cast<double>(byteSize(graph[output].type.element.value_or(ElementType::UInt8)));
  }
  return bytes > static_cast<double>(kLargestFoldedBytes);
}

std::string whyUnknown(const Graph& graph, const Node& node) {
  if (!operatorRegistry().knows(node.op, node.domain)) return "the operator is not known";
  return "version " + std::to_string(askedVersion(graph, node)) +
         " of the operator is not supported";
}

}  // namespace

bool isControlFlow(const Node& node) {
  return node.domain.empty() && operatorTraits(node).controlFlow != ControlFlow::None;
}

Engine::Engine(std::shared_ptr<const Graph> graph, const Workers& workers, ContentId content)
    : m_graph(std::move(graph)),
      m_content(content.valid() ? content : contentOfNoModel()),
      m_kernels(m_graph->nodes().size()),
      m_constants(m_graph->values().size()) {
  for (std::size_t i = 0; i < m_kernels.size(); ++i) makeKernel(NodeId(i));
  for (std::size_t i = 0; i < m_constants.size(); ++i) {
    m_constants[i] = m_graph->values()[i].constant;
  }
  workers.run([this] { foldConstants(Graph::mainBlock()); });
  widenConstants();
}

bool Engine::executable(NodeId node) const {
  return m_kernels[node.at()] != nullptr || isControlFlow((*m_graph)[node]);
}

const Tensor* Engine::constant(ValueId value) const {
  if (!value.valid() || !m_constants[value.at()].defined()) return nullptr;
  return &m_constants[value.at()];
}

const Tensor* Engine::widenedConstant(ValueId value) const {
  if (value.valid() && m_widened[value.at()].defined()) return &m_widened[value.at()];
  return constant(value);
}

void Engine::widenConstants() {
  m_widened.resize(m_constants.size());
  for (std::size_t i = 0; i < m_constants.size(); ++i) {
    if (m_constants[i].defined() && isHalf(m_constants[i].type()))
      m_widened[i] = toFloat32(m_constants[i]);
  }
}

void Engine::makeKernel(NodeId id) {
  const Node& node = (*m_graph)[id];
  if (isControlFlow(node)) return;
  const KernelFactory factory = operatorRegistry().find(node);
  if (factory == nullptr) {
    m_notExecutable.push_back({id, whyUnknown(*m_graph, node)});
    return;
  }
  try {
    m_kernels[id.at()] = factory(node, *m_graph);
  } catch (const Error& error) {
    m_notExecutable.push_back({id, error.sentence()});
  }
}

void Engine::foldConstants(BlockId block) {
  for (const NodeId id : (*m_graph)[block].nodes) {
    for (const auto& [name, body] : (*m_graph)[id].bodies) foldConstants(body);
    if (kernel(id) != nullptr) foldConstant(id);
  }
}

bool Engine::foldConstant(NodeId id) {
  const Node& node = (*m_graph)[id];
  if (isTooLargeToFold(*m_graph, node)) return false;
  std::vector<Tensor> inputs;
  for (const ValueId input : node.inputs) {
    const Tensor* tensor = constant(input);
    if (input.valid() && tensor == nullptr) return false;
    inputs.push_back(tensor == nullptr ? Tensor() : *tensor);
  }
  std::vector<Tensor> outputs(node.outputs.size());
  try {
    runKernel(*kernel(id), node, inputs, outputs);
  } catch (const Error&) {
    return false;  // the run that needs the value reports it, with the same words
  }
  std::size_t bytes = 0;
  for (const Tensor& output : outputs) bytes += output.defined() ? output.byteSize() : 0;
  if (bytes > kLargestFoldedBytes) return false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i].valid())
      m_constants[node.outputs[i].at()] = toLayout(outputs[i], Layout::Plain);
  }
  return true;
}

namespace {

Layout wantedLayout(const Kernel& kernel, std::size_t input, const Tensor& tensor) {
  switch (kernel.inputLayout()) {
    case Kernel::InputLayout::Any:
      return tensor.layout();
    case Kernel::InputLayout::ChannelsLast:
      return input == 0 && tensor.shape().rank() >= 3 ? Layout::ChannelsLast : Layout::Plain;
    case Kernel::InputLayout::Plain:
      break;
  }
  return Layout::Plain;
}

}  // namespace

void runKernel(const Kernel& kernel, const Node& node, std::span<Tensor> inputs,
               std::span<Tensor> outputs, FollowUp* next) {
  ElementType narrowTo = ElementType::Float32;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor& input = inputs[i];
    if (!input.defined()) continue;
    if (!kernel.takesHalf() && isHalf(input.type())) {
      narrowTo = input.type();
      input = toFloat32(input);
    }
    const Layout layout = wantedLayout(kernel, i, input);
    if (layout != input.layout()) input = toLayout(input, layout);
  }
  try {
    if (next != nullptr && narrowTo == ElementType::Float32) {
      kernel.runWith(inputs, outputs, *next);
    } else {
      kernel.run(inputs, outputs);
    }
  } catch (const Error& error) {
    throw error.at({.file = {}, .node = node.name, .value = {}});
  }
  if (narrowTo == ElementType::Float32) return;
  for (Tensor& output : outputs) {
    if (output.defined() && output.type() == ElementType::Float32) {
      output = fromFloat32(output, narrowTo);
    }
  }
}

}  // namespace quantscope
