#include <algorithm>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "engine/onednn/matrix_product.h"
#include "engine/onednn/sgemm.h"
#include "engine/operators/constant_inputs.h"
#include "engine/operators/matrix_products.h"
#include "engine/operators/operands.h"
#include "engine/operators/product_shapes.h"

namespace quantscope {
namespace {

// Signed overflow wraps, as it does in every other runtime.
template <class T>
using Arithmetic = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                               std::type_identity<T>>::type;

template <class T>
void multiplyByDefinition(const T* a, const T* b, T* y, const ProductShapes& shapes) {
  std::fill_n(y, shapes.m * shapes.n, T{});
  for (std::int64_t i = 0; i < shapes.m; ++i, y += shapes.n) {
    for (std::int64_t p = 0; p < shapes.k; ++p) {
      const auto factor = static_cast<Arithmetic<T>>(a[i * shapes.k + p]);
      const T* row = b + p * shapes.n;
      for (std::int64_t j = 0; j < shapes.n; ++j) {
        y[j] = static_cast<T>(static_cast<Arithmetic<T>>(y[j]) +
                              factor * static_cast<Arithmetic<T>>(row[j]));
      }
    }
  }
}

template <class T>
void multiplyStack(const Tensor& a, const Tensor& b, Tensor& y, const ProductShapes& shapes) {
  const T* left = a.values<T>().data();
  const T* right = b.values<T>().data();
  T* target = y.mutableValues<T>().data();
  const std::int64_t matrices = shapes.stack.elementCount();
  for (std::int64_t i = 0; i < matrices; ++i) {
    const T* l = left + shapes.matrixOfA(i) * shapes.m * shapes.k;
    const T* r = right + shapes.matrixOfB(i) * shapes.k * shapes.n;
    T* t = target + i * shapes.m * shapes.n;
    if constexpr (std::is_same_v<T, float>) {
      onednn::multiply({l, false}, {r, false}, t, shapes.m, shapes.n, shapes.k);
    } else {
      multiplyByDefinition(l, r, t, shapes);
    }
  }
}

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
      runOther(a, b, shapes, y);
    }
    setOutput(outputs, 0, std::move(y));
  }

 private:
  void runFloat(const Tensor& a, const Tensor& b, const Tensor& bias, const ProductShapes& shapes,
                Tensor& y) const {
    if (shapes.matricesOfB != 1 || y.elementCount() == 0) {
      multiplyStack<float>(a, b, y, shapes);
      addBias(bias, shapes.n, y);
      return;
    }
    // One matrix for all: the leading axes of A are just more rows.
    const std::int64_t rows = static_cast<std::int64_t>(y.elementCount()) / shapes.n;
    m_product.run(a.values<float>().data(), rows, b.reshaped({shapes.k, shapes.n}), bias,
                  y.mutableValues<float>().data());
  }

  static void runOther(const Tensor& a, const Tensor& b, const ProductShapes& shapes, Tensor& y) {
    visitElementType(a.type(), [&]<class T>() {
      constexpr bool kWide = std::is_arithmetic_v<T> && sizeof(T) >= 4;
      if constexpr (kWide) {
        multiplyStack<T>(a, b, y, shapes);
      } else {
        throw Error(ErrorCode::UnsupportedType,
                    "matrix products of " + std::string(name(a.type())) + " are not defined");
      }
    });
  }

  onednn::MatrixProduct m_product;
};

}  // namespace

std::unique_ptr<Kernel> makeMatMul(const Node& node, const Graph& graph) {
  return std::make_unique<MatMulKernel>(node, graph);
}

}  // namespace quantscope
