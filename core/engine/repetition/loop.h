#pragma once

#include <cstdint>

#include "engine/repetition/repetition.h"

namespace quantscope {

/// ONNX's Loop. Inputs: trip count, condition, carried values. The body takes iteration, condition
/// and carried values, and gives condition, carried values, and outputs stacked on a new axis 0.
class Loop final : public Repetition {
 public:
  Loop(const Graph& graph, const Node& node, std::span<const Tensor> inputs);

  bool running() const override { return m_condition && m_iteration < m_limit; }
  std::vector<Tensor> bodyInputs() const override;
  void finish(std::span<const Tensor> bodyOutputs) override;
  std::vector<Tensor> results() const override;

 private:
  std::int64_t m_limit;
  bool m_condition = true;
  std::int64_t m_iteration = 0;
  std::vector<Tensor> m_carried;
  std::vector<std::vector<Tensor>> m_collected;
  std::vector<ValueType> m_collectedTypes;
};

}  // namespace quantscope
