#include "engine/repetition/loop.h"

#include <limits>

#include "base/error.h"
#include "engine/axis_slices.h"

namespace quantscope {

Loop::Loop(const Graph& graph, const Node& node, std::span<const Tensor> inputs)
    : m_limit(std::numeric_limits<std::int64_t>::max()) {
  const Tensor limit = inputs.empty() ? Tensor() : inputs[0];
  const Tensor condition = inputs.size() < 2 ? Tensor() : inputs[1];
  if ((limit.defined() && limit.elementCount() != 1) ||
      (condition.defined() && condition.elementCount() != 1)) {
    throw Error(ErrorCode::InvalidModel, "Loop's trip count or condition is not a single value");
  }
  if (limit.defined()) m_limit = toIntegers(limit)[0];
  if (condition.defined()) m_condition = condition.values<bool>()[0];
  if (inputs.size() > 2) m_carried.assign(inputs.begin() + 2, inputs.end());

  const Block& body = graph[node.body("body")];
  if (body.outputs.size() < m_carried.size() + 1) {
    throw Error(ErrorCode::InvalidModel, "Loop's body has too few outputs");
  }
  if (body.inputs.size() > m_carried.size() + 2) {
    throw Error(ErrorCode::InvalidModel, "Loop's body has too many inputs");
  }
  for (std::size_t i = m_carried.size() + 1; i < body.outputs.size(); ++i) {
    m_collectedTypes.push_back(graph[body.outputs[i]].type);
  }
  m_collected.resize(m_collectedTypes.size());
}

std::vector<Tensor> Loop::bodyInputs() const {
  std::vector<Tensor> inputs = {Tensor::scalar<std::int64_t>(m_iteration),
                                Tensor::scalar<bool>(true)};
  inputs.insert(inputs.end(), m_carried.begin(), m_carried.end());
  return inputs;
}

void Loop::finish(std::span<const Tensor> bodyOutputs) {
  if (!bodyOutputs[0].defined() || bodyOutputs[0].elementCount() != 1) {
    throw Error(ErrorCode::InvalidModel, "the condition of Loop's body is not a single boolean");
  }
  m_condition = bodyOutputs[0].values<bool>()[0];
  const std::size_t carried = m_carried.size();
  for (std::size_t i = 0; i < carried; ++i) m_carried[i] = bodyOutputs[1 + i];
  for (std::size_t i = 0; i < m_collected.size(); ++i) {
    m_collected[i].push_back(bodyOutputs[1 + carried + i]);
  }
  ++m_iteration;
}

std::vector<Tensor> Loop::results() const {
  std::vector<Tensor> all = m_carried;
  for (std::size_t i = 0; i < m_collected.size(); ++i) {
    all.push_back(stackOnAxis(m_collected[i], 0, m_collectedTypes[i]));
  }
  return all;
}

}  // namespace quantscope
