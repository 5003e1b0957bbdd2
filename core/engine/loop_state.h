#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace quantscope {

/// Where an execution of ONNX's Loop stands: how often it has run, what it carries from one
/// iteration to the next, and what it has collected along the way.
class LoopProgress {
 public:
  /// `limit` and `condition` are Loop's first two inputs; undefined = no limit, true.
  /// Throws InvalidModel where they are not single numbers.
  LoopProgress(const Tensor& limit, const Tensor& condition);

  /// `bodyOutputs`: the condition, the carried values, then what is collected.
  void prepareScans(std::size_t bodyOutputs);
  bool running() const { return m_condition && iteration < m_limit; }
  /// Takes the outputs of one iteration of the body. Throws InvalidModel where they do not fit.
  void finish(std::span<const Tensor> bodyOutputs);
  /// The carried values, then each collected value stacked on a new axis 0.
  std::vector<Tensor> results() const;

  std::int64_t iteration = 0;
  std::vector<Tensor> carried;

 private:
  std::int64_t m_limit;
  bool m_condition;
  std::vector<std::vector<Tensor>> m_scans;
};

}  // namespace quantscope
