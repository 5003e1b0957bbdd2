// Matrix products: dA = dy·Bᵀ, dB = Aᵀ·dy.

#include <algorithm>
#include <type_traits>

#include "engine/gradients/cotangents.h"
#include "engine/gradients/gradient_registry.h"
#include "engine/onednn/sgemm.h"
#include "engine/operators/matrix_products/product_shapes.h"

namespace quantscope {
namespace {

// Minimum cost of a part of an item, in products.
constexpr std::int64_t kProductsPerPart = std::int64_t{1} << 20;

// A row-major matrix [rows, columns] in memory.
template <class T>
struct Matrix {
  const T* data;
  std::int64_t rows, columns;
};

// y [m, n] = a · b, either read as its transpose.
template <class T>
void multiplyInto(const Matrix<T>& a, bool transposeA, const Matrix<T>& b, bool transposeB, T* y) {
  const std::int64_t m = transposeA ? a.columns : a.rows;
  const std::int64_t k = transposeA ? a.rows : a.columns;
  const std::int64_t n = transposeB ? b.rows : b.columns;
  if constexpr (std::is_same_v<T, float>) {
    onednn::multiplyAtOnce({a.data, transposeA}, {b.data, transposeB}, y, m, n, k);
  } else {
    std::fill_n(y, m * n, T{0});
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t p = 0; p < k; ++p) {
        const T factor = a.data[transposeA ? p * m + i : i * k + p];
        for (std::int64_t j = 0; j < n; ++j) {
          y[i * n + j] += factor * b.data[transposeB ? j * k + p : p * n + j];
        }
      }
    }
  }
}

// y [rows of a, rows of b] = a · bᵀ
template <class T>
void multiplyByTransposed(const Matrix<T>& a, const Matrix<T>& b, T* y) {
  multiplyInto<T>(a, false, b, true, y);
}

// y [columns of a, columns of b] = aᵀ · b
template <class T>
void multiplyTransposed(const Matrix<T>& a, const Matrix<T>& b, T* y) {
  multiplyInto<T>(a, true, b, false, y);
}

// The elements of a plain tensor; nullptr if it is undefined.
template <class T>
const T* elementsOf(const Tensor& tensor) {
  return tensor.defined() ? tensor.values<T>().data() : nullptr;
}

// A factor is read for the other one's cotangent alone.
bool readsFactor(std::size_t index, Gradient::Wanted wanted) {
  return index < 2 && wanted[1 - index] != 0;
}

class MatMulGradient final : public Gradient {
 public:
  bool readsInput(std::size_t index, Wanted wanted) const override {
    return readsFactor(index, wanted);
  }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const ProductShapes shapes = productShapes(call.inputShapes[0], call.inputShapes[1]);
    visitRealType(call.type(), [&]<class T>() {
      if (shapes.matricesOfB == 1) {
        runOneMatrix<T>(call, shapes, results);
      } else {
        runStacks<T>(call, shapes, results);
      }
    });
    if (call.wanted.size() > 2 && call.wanted[2] != 0) {
      results[2] = sumTo(call.plainCotangent(0), call.inputShapes[2]);
    }
  }

 private:
  // The leading axes of A are just more rows.
  template <class T>
  static void runOneMatrix(const GradientCall& call, const ProductShapes& shapes,
                           std::span<Tensor> results) {
    const Tensor dy = call.plainCotangent(0);
    const Tensor a = call.plainInput(0);
    const Tensor b = call.plainInput(1);
    const std::int64_t rows =
        shapes.n == 0 ? 0 : static_cast<std::int64_t>(dy.elementCount()) / shapes.n;
    const Matrix<T> g{dy.values<T>().data(), rows, shapes.n};
    if (call.wanted[0] != 0) {
      results[0] = Tensor(dy.type(), call.inputShapes[0]);
      multiplyByTransposed<T>(g, {b.values<T>().data(), shapes.k, shapes.n},
                              results[0].mutableValues<T>().data());
    }
    if (call.wanted[1] != 0) {
      results[1] = Tensor(dy.type(), call.inputShapes[1]);
      multiplyTransposed<T>({a.values<T>().data(), rows, shapes.k}, g,
                            results[1].mutableValues<T>().data());
    }
  }

  template <class T>
  static void runStacks(const GradientCall& call, const ProductShapes& shapes,
                        std::span<Tensor> results) {
    const Tensor dy = call.plainCotangent(0);
    const Tensor a = call.plainInput(0);
    const Tensor b = call.plainInput(1);
    const T* const g = dy.values<T>().data();
    const T* const left = elementsOf<T>(a);
    const T* const right = elementsOf<T>(b);
    const std::int64_t m = shapes.m;
    const std::int64_t n = shapes.n;
    const std::int64_t k = shapes.k;
    if (call.wanted[0] != 0) {
      results[0] = stackOf<T>(call, 0, shapes, m, k, [=, &shapes](std::int64_t i, T* to) {
        multiplyByTransposed<T>({g + i * m * n, m, n}, {right + shapes.matrixOfB(i) * k * n, k, n},
                                to);
      });
    }
    if (call.wanted[1] != 0) {
      results[1] = stackOf<T>(call, 1, shapes, k, n, [=, &shapes](std::int64_t i, T* to) {
        multiplyTransposed<T>({left + shapes.matrixOfA(i) * m * k, m, k}, {g + i * m * n, m, n},
                              to);
      });
    }
  }

  // One matrix [rows, columns] per matrix of the product, summed where the operand was broadcast.
  template <class T, class Multiply>
  static Tensor stackOf(const GradientCall& call, std::size_t input, const ProductShapes& shapes,
                        std::int64_t rows, std::int64_t columns, const Multiply& multiply) {
    Shape shape = shapes.stack;
    shape.append(rows);
    shape.append(columns);
    Tensor full(call.type(), shape);
    T* const to = full.mutableValues<T>().data();
    const std::int64_t cost = std::max<std::int64_t>(1, shapes.m * shapes.n * shapes.k);
    forEachPiece(static_cast<std::size_t>(shapes.stack.elementCount()),
                 static_cast<std::size_t>(std::max<std::int64_t>(1, kProductsPerPart / cost)),
                 [&](std::size_t first, std::size_t end) {
                   for (std::size_t i = first; i < end; ++i) {
                     const auto index = static_cast<std::int64_t>(i);
                     multiply(index, to + index * rows * columns);
                   }
                 });
    return sumTo(full, input == 0 ? shapes.a : shapes.b).reshaped(call.inputShapes[input]);
  }
};

// y = α·A'·B' + β·C
class GemmGradient final : public Gradient {
 public:
  explicit GemmGradient(const Node& node)
      : m_alpha(node.real("alpha", 1)),
        m_beta(node.real("beta", 1)),
        m_transA(node.integer("transA", 0) != 0),
        m_transB(node.integer("transB", 0) != 0) {}

  bool readsInput(std::size_t index, Wanted wanted) const override {
    return readsFactor(index, wanted);
  }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    visitRealType(call.type(), [&]<class T>() { runTyped<T>(call, results); });
  }

 private:
  template <class T>
  static Tensor scaled(const Tensor& x, float factor) {
    if (factor == 1) return x;
    return mapPairs<T>(x, x, [factor](T value, T) { return value * static_cast<T>(factor); });
  }

  template <class T>
  void runTyped(const GradientCall& call, std::span<Tensor> results) const {
    const Tensor plain = call.plainCotangent(0);
    const Tensor dy = scaled<T>(plain, m_alpha);
    const Tensor a = call.plainInput(0);
    const Tensor b = call.plainInput(1);
    const auto matrixOf = [](const Tensor& tensor) {
      return Matrix<T>{tensor.values<T>().data(), tensor.shape()[0], tensor.shape()[1]};
    };
    const auto product = [&](std::size_t input, const auto& multiply) {
      if (call.wanted[input] == 0) return;
      results[input] = Tensor(plain.type(), call.inputShapes[input]);
      multiply(results[input].mutableValues<T>().data());
    };
    const Matrix<T> g = matrixOf(dy);
    // dA' = dy · B'ᵀ and dB' = A'ᵀ · dy, or their transposes.
    product(0, [&](T* to) {
      m_transA ? multiplyInto<T>(matrixOf(b), m_transB, g, true, to)
               : multiplyInto<T>(g, false, matrixOf(b), !m_transB, to);
    });
    product(1, [&](T* to) {
      m_transB ? multiplyInto<T>(g, true, matrixOf(a), m_transA, to)
               : multiplyInto<T>(matrixOf(a), !m_transA, g, false, to);
    });
    if (call.wanted.size() > 2 && call.wanted[2] != 0) {
      results[2] = sumTo(scaled<T>(plain, m_beta), call.inputShapes[2]);
    }
  }

  float m_alpha;
  float m_beta;
  bool m_transA;
  bool m_transB;
};

std::unique_ptr<Gradient> makeMatMulGradient(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<MatMulGradient>();
}

std::unique_ptr<Gradient> makeGemmGradient(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<GemmGradient>(node);
}

}  // namespace

void registerProductGradients(GradientRegistry& registry) {
  registry.add("MatMul", makeMatMulGradient);
  registry.add("Gemm", makeGemmGradient);
}

}  // namespace quantscope
