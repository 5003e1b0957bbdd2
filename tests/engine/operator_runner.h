#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope::test {

/// One operator of the engine, run directly on tensors.
class OperatorRunner {
 public:
  /// `text`: the node in the notation of graph_text.h with inputs x (computed), w, b, … (constants
  /// of the graph as far as the kernel knows) or "" (omitted), as in "y = Conv(x, w) group=2".
  explicit OperatorRunner(std::string_view text, int opset = 17);

  bool takesAnyLayout() const { return m_kernel->inputLayout() == Kernel::InputLayout::Any; }

  /// All outputs in the layout that the kernel chose. Inputs that nobody else holds may be reused.
  std::vector<Tensor> runAsIs(std::vector<Tensor> inputs) const;
  /// All outputs, Plain.
  std::vector<Tensor> run(std::vector<Tensor> inputs) const;
  /// The first output, Plain.
  Tensor operator()(std::vector<Tensor> inputs) const { return run(std::move(inputs)).front(); }

 private:
  std::shared_ptr<const Graph> m_graph;
  std::unique_ptr<Kernel> m_kernel;
};

/// Numbers in [−1, 1), the same for the same seed.
Tensor randomTensor(const Shape& shape, unsigned seed);

/// Every element times a factor, in float.
Tensor scaled(const Tensor& tensor, float factor);

/// The elements in logical order as double.
std::vector<double> elements(const Tensor& tensor);

/// "1,3,8,8" → [1, 3, 8, 8]
std::vector<std::int64_t> numbers(std::string_view text);
Shape shapeOf(std::string_view text);

/// Empty where |actual − expected| ≤ tolerance everywhere and the shapes agree, else what differs.
/// `tolerance` holds one bound per element, or one for all. NaN equals NaN.
std::string difference(const Tensor& actual, const Shape& shape,
                       const std::vector<double>& expected, const std::vector<double>& tolerance);

}  // namespace quantscope::test
