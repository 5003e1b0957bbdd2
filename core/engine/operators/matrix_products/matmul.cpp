#include <string>

#include "base/error.h"
#include "engine/matrix_product.h"
#include "engine/operators/constant_inputs.h"
#include "engine/operators/matrix_products/matrix_products.h"
#include "engine/operators/matrix_products/product_shapes.h"
#include "engine/operators/matrix_products/stacked_product.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

void requireBias(const Tensor& bias, std::int64_t n) {
  if (!bias.defined() || bias.shape() == Shape{n}) return;
  throw Error(ErrorCode::InvalidParameters, "a bias of shape " + toString(bias.shape()) +
                                                " does not fit rows of " + std::to_string(n));
}

void addBias(const Tensor& bias, std::int64_t n, Tensor& y) {
  if (!bias.defined()) return;
  const std::span<const float> addends = bias.values<float>();
  const std::span<float> values = y.mutableValues<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += addends[i % static_cast<std::size_t>(n)];
  }
}

class MatMulKernel final : public Kernel {
 public:
  MatMulKernel(const Node& node, const Graph& graph)
      : m_product(inputIsConstant(node, graph, 1), false) {}

  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    const Tensor& a = requiredInput(inputs, 0);
    const Tensor& b = requiredInput(inputs, 1);
    const Tensor bias = inputOrUndefined(inputs, 2);
    const ProductShapes shapes = productShapes(a.shape(), b.shape());
    requireBias(bias, shapes.n);
    Tensor y(a.type(), shapes.output);
    if (a.type() == ElementType::Float32) {
      runFloat(a, b, bias, shapes, y);
    } else {
      multiplyStacks(a, b, shapes, y);
    }
    setOutput(outputs, 0, std::move(y));
  }

 private:
  void runFloat(const Tensor& a, const Tensor& b, const Tensor& bias, const ProductShapes& shapes,
                Tensor& y) const {
    if (shapes.matricesOfB != 1 || y.elementCount() == 0) {
      multiplyStacks(a, b, shapes, y);
      addBias(bias, shapes.n, y);
      return;
    }
    // One matrix for all: the leading axes of A are just more rows.
    const std::int64_t rows = static_cast<std::int64_t>(y.elementCount()) / shapes.n;
    m_product.run(a.values<float>().data(), rows, b.reshaped({shapes.k, shapes.n}), bias,
                  y.mutableValues<float>().data());
  }

  MatrixProduct m_product;
};

}  // namespace

std::unique_ptr<Kernel> makeMatMul(const Node& node, const Graph& graph) {
  return std::make_unique<MatMulKernel>(node, graph);
}

}  // namespace quantscope
