#include <vector>

#include "engine/operators/matrix_products/product_shapes.h"
#include "engine/operators/operands.h"
#include "engine/operators/quantized/integer_product.h"
#include "engine/operators/quantized/integer_weights.h"
#include "engine/operators/quantized/quantized.h"

namespace quantscope {
namespace {

// Rows of A minus their zero points.
Deviations deviationsOfRows(const Tensor& a, const Tensor& zeroPoint, const ProductShapes& shapes) {
  Deviations result = widenedCodes(a);
  const ZeroPoints zeros(zeroPoint, shapes.m, "a zero point");
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / shapes.k % shapes.m;
    result[i] = static_cast<std::int16_t>(result[i] - zeros.at(row));
  }
  return result;
}

// Columns of B minus their zero points, one after the other.
Deviations deviationsOfColumns(const Tensor& b, const Tensor& zeroPoint,
                               const ProductShapes& shapes) {
  const Deviations codes = widenedCodes(b);
  Deviations result(codes.size());
  const ZeroPoints zeros(zeroPoint, shapes.n, "a zero point");
  const std::int64_t size = shapes.k * shapes.n;
  for (std::int64_t matrix = 0; matrix < shapes.matricesOfB; ++matrix) {
    const std::int16_t* from = codes.data() + matrix * size;
    std::int16_t* to = result.data() + matrix * size;
    for (std::int64_t column = 0; column < shapes.n; ++column) {
      for (std::int64_t p = 0; p < shapes.k; ++p) {
        *to++ = static_cast<std::int16_t>(from[p * shapes.n + column] - zeros.at(column));
      }
    }
  }
  return result;
}

void multiplyStacks(const Deviations& a, const Deviations& b, const ProductShapes& shapes,
                    std::int32_t* y) {
  const std::int64_t matrices = shapes.stack.elementCount();
  for (std::int64_t i = 0; i < matrices; ++i) {
    multiplyDeviations(a.data() + shapes.matrixOfA(i) * shapes.m * shapes.k,
                       b.data() + shapes.matrixOfB(i) * shapes.k * shapes.n,
                       y + i * shapes.m * shapes.n, shapes.m, shapes.n, shapes.k);
  }
}

class MatMulIntegerKernel final : public Kernel {
 public:
  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    const Tensor& a = requiredInput(inputs, 0);
    const Tensor& b = requiredInput(inputs, 1);
    const Tensor zeroA = inputOrUndefined(inputs, 2);
    const Tensor zeroB = inputOrUndefined(inputs, 3);
    const ProductShapes shapes = productShapes(a.shape(), b.shape());
    const auto weights =
        m_weights.get(b, zeroB, [&] { return deviationsOfColumns(b, zeroB, shapes); });
    Tensor y(ElementType::Int32, shapes.output);
    multiplyStacks(deviationsOfRows(a, zeroA, shapes), weights->deviations, shapes,
                   y.mutableValues<std::int32_t>().data());
    setOutput(outputs, 0, std::move(y));
  }

 private:
  IntegerWeightCache m_weights;
};

class QLinearMatMulKernel final : public Kernel {
 public:
  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    for (std::size_t i = 0; i < 8; ++i) requiredInput(inputs, i);
    const Tensor& a = inputs[0];
    const Tensor& b = inputs[3];
    const ProductShapes shapes = productShapes(a.shape(), b.shape());
    const Requantization requantization(inputs[1], inputs[4], inputs[6], inputs[7], shapes.n);
    const auto weights =
        m_weights.get(b, inputs[5], [&] { return deviationsOfColumns(b, inputs[5], shapes); });
    Tensor y(requantization.type(), shapes.output);
    std::vector<std::int32_t> accumulators(y.elementCount());
    multiplyStacks(deviationsOfRows(a, inputs[2], shapes), weights->deviations, shapes,
                   accumulators.data());
    requantization.apply(accumulators, y);
    setOutput(outputs, 0, std::move(y));
  }

 private:
  IntegerWeightCache m_weights;
};

}  // namespace

std::unique_ptr<Kernel> makeMatMulInteger(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<MatMulIntegerKernel>();
}

std::unique_ptr<Kernel> makeQLinearMatMul(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<QLinearMatMulKernel>();
}

}  // namespace quantscope
