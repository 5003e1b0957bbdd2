#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The state of one execution of ONNX's Loop or Scan, whose body runs repeatedly.
class Repetition {
 public:
  virtual ~Repetition() = default;

  /// True if the body runs once more.
  virtual bool running() const = 0;
  /// The body's inputs of this iteration, in order.
  virtual std::vector<Tensor> bodyInputs() const = 0;
  /// Takes the body's outputs, in order. Throws InvalidModel where they do not fit.
  virtual void finish(std::span<const Tensor> bodyOutputs) = 0;
  /// The node's outputs, once all runs are done. Throws InvalidModel if the collected values differ
  /// in type or shape from one run to the next.
  virtual std::vector<Tensor> results() const = 0;
};

/// Makes the repetition of a Loop or Scan node, given its inputs (undefined = omitted). Throws
/// InvalidModel or InvalidParameters where they do not fit the body.
std::unique_ptr<Repetition> makeRepetition(const Graph& graph, const Node& node,
                                           std::span<const Tensor> inputs);

}  // namespace quantscope
