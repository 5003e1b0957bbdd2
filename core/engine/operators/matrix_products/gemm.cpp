#include <algorithm>
#include <string>

#include "base/error.h"
#include "engine/matrix_product.h"
#include "engine/operators/constant_inputs.h"
#include "engine/operators/matrix_products/matrix_products.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

struct GemmShapes {
  std::int64_t m, n, k;
};

// C as a matrix whose rows or columns may repeat: distances 0 along the repeated axes.
struct Addend {
  std::int64_t rowStride = 0;
  std::int64_t columnStride = 0;
};

Addend addendOf(const Shape& c, const GemmShapes& shapes) {
  const std::int64_t columns = c.rank() >= 1 ? c.back() : 1;
  const std::int64_t rows = c.rank() >= 2 ? c[c.rank() - 2] : 1;
  const bool fits = (columns == 1 || columns == shapes.n) && (rows == 1 || rows == shapes.m) &&
                    c.elementCount() == rows * columns;
  if (!fits) {
    throw Error(ErrorCode::InvalidParameters,
                "a matrix C of shape " + toString(c) + " does not broadcast to [" +
                    std::to_string(shapes.m) + ", " + std::to_string(shapes.n) + "]");
  }
  return {rows == 1 ? 0 : columns, columns == 1 ? 0 : 1};
}

template <class T>
void scaleAndAdd(T alpha, T beta, const Tensor& c, const GemmShapes& shapes, T* y) {
  if (alpha != T{1}) {
    for (std::int64_t i = 0; i < shapes.m * shapes.n; ++i) y[i] *= alpha;
  }
  if (!c.defined() || beta == T{0}) return;
  const Addend addend = addendOf(c.shape(), shapes);
  const T* row = c.values<T>().data();
  for (std::int64_t i = 0; i < shapes.m; ++i, row += addend.rowStride, y += shapes.n) {
    for (std::int64_t j = 0; j < shapes.n; ++j) y[j] += beta * row[j * addend.columnStride];
  }
}

template <class T>
Tensor transposedMatrix(const Tensor& matrix) {
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  Tensor result(matrix.type(), Shape{columns, rows});
  const T* from = matrix.values<T>().data();
  T* to = result.mutableValues<T>().data();
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t row = 0; row < rows; ++row) *to++ = from[row * columns + column];
  }
  return result;
}

class GemmKernel final : public Kernel {
 public:
  GemmKernel(const Node& node, const Graph& graph)
      : m_alpha(node.real("alpha", 1)),
        m_beta(node.inputs.size() > 2 && node.inputs[2].valid() ? node.real("beta", 1) : 1),
        m_transA(node.integer("transA", 0) != 0),
        m_transB(node.integer("transB", 0) != 0),
        m_product(inputIsConstant(node, graph, 1), m_transB) {}

  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    const Tensor& a = requiredInput(inputs, 0);
    const Tensor& b = requiredInput(inputs, 1);
    const Tensor c = inputOrUndefined(inputs, 2);
    const GemmShapes shapes = shapesOf(a.shape(), b.shape());
    Tensor y(a.type(), Shape{shapes.m, shapes.n});
    if (a.type() == ElementType::Float32) {
      runFloat(m_transA ? transposedMatrix<float>(a) : a, b, c, shapes, y);
    } else {
      runDouble(m_transA ? transposedMatrix<double>(a) : a,
                m_transB ? transposedMatrix<double>(b) : b, c, shapes, y);
    }
    setOutput(outputs, 0, std::move(y));
  }

 private:
  GemmShapes shapesOf(const Shape& a, const Shape& b) const {
    if (a.rank() == 2 && b.rank() == 2 && a[m_transA ? 0 : 1] == b[m_transB ? 1 : 0]) {
      return {a[m_transA ? 1 : 0], b[m_transB ? 0 : 1], b[m_transB ? 1 : 0]};
    }
    throw Error(ErrorCode::InvalidParameters, "matrices of the shapes " + toString(a) + " and " +
                                                  toString(b) + " cannot be multiplied");
  }

  void runFloat(const Tensor& a, const Tensor& b, const Tensor& c, const GemmShapes& shapes,
                Tensor& y) const {
    float* target = y.mutableValues<float>().data();
    const bool plainBias = c.defined() && m_alpha == 1 && m_beta == 1 &&
                           c.elementCount() == static_cast<std::size_t>(shapes.n) &&
                           c.shape().rank() >= 1 && c.shape().back() == shapes.n;
    m_product.run(a.values<float>().data(), shapes.m, b, plainBias ? c : Tensor(), target);
    if (!plainBias) scaleAndAdd(m_alpha, m_beta, c, shapes, target);
  }

  void runDouble(const Tensor& a, const Tensor& b, const Tensor& c, const GemmShapes& shapes,
                 Tensor& y) const {
    const double* left = a.values<double>().data();
    const double* right = b.values<double>().data();
    double* target = y.mutableValues<double>().data();
    std::fill_n(target, shapes.m * shapes.n, 0.0);
    for (std::int64_t i = 0; i < shapes.m; ++i) {
      for (std::int64_t p = 0; p < shapes.k; ++p) {
        const double factor = left[i * shapes.k + p];
        for (std::int64_t j = 0; j < shapes.n; ++j) {
          target[i * shapes.n + j] += factor * right[p * shapes.n + j];
        }
      }
    }
    scaleAndAdd<double>(m_alpha, m_beta, c, shapes, target);
  }

  float m_alpha;
  float m_beta;
  bool m_transA;
  bool m_transB;
  MatrixProduct m_product;
};

}  // namespace

std::unique_ptr<Kernel> makeGemm(const Node& node, const Graph& graph) {
  return std::make_unique<GemmKernel>(node, graph);
}

}  // namespace quantscope
