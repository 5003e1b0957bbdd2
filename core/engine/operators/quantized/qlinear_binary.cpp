// QLinearAdd and QLinearMul. The orders of operations are those of ONNX Runtime's kernels for AVX2,
// fused multiply-adds included: only then do ties round alike.

#include <array>
#include <cmath>

#include "engine/operators/broadcast.h"
#include "engine/operators/operands.h"
#include "engine/operators/quantized/code_rounding.h"
#include "engine/operators/quantized/microsoft_quantized.h"

namespace quantscope {
namespace {

struct OperandGrids {
  CodeGrid a, b, y;
};

// round(a·(s_a / s_y) + b·(s_b / s_y) + the sum of the zero points' terms)
class Sum {
 public:
  explicit Sum(const OperandGrids& grids)
      : m_ratioA(grids.a.scale / grids.y.scale),
        m_ratioB(grids.b.scale / grids.y.scale),
        m_fixed(fixed(grids.y, m_ratioA, grids.a, m_ratioB, grids.b)),
        m_fixedSwapped(fixed(grids.y, m_ratioB, grids.b, m_ratioA, grids.a)) {}

  // Steps of 0 or 1: an operand with step 0 goes into the constant term.
  template <class T>
  void row(const T* a, std::int64_t stepA, const T* b, std::int64_t stepB, T* y,
           std::int64_t count) const {
    if (stepA == 0) {
      return scaled(b, stepB, m_ratioB, m_fixedSwapped + code(*a) * m_ratioA, y, count);
    }
    if (stepB == 0) return scaled(a, stepA, m_ratioA, m_fixed + code(*b) * m_ratioB, y, count);
    for (std::int64_t i = 0; i < count; ++i) {
      const float part = std::fma(code(b[i]), m_ratioB, m_fixed);
      y[i] = roundToCode<T>(std::fma(code(a[i]), m_ratioA, part), 0);
    }
  }

 private:
  static float fixed(const CodeGrid& y, float first, const CodeGrid& a, float second,
                     const CodeGrid& b) {
    const float offset = second * static_cast<float>(b.zeroPoint);
    return static_cast<float>(y.zeroPoint) -
           std::fma(first, static_cast<float>(a.zeroPoint), offset);
  }
  template <class T>
  static float code(T value) {
    return static_cast<float>(value);
  }
  template <class T>
  static void scaled(const T* x, std::int64_t step, float ratio, float fixed, T* y,
                     std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      y[i] = roundToCode<T>(std::fma(code(x[i * step]), ratio, fixed), 0);
    }
  }

  float m_ratioA;
  float m_ratioB;
  float m_fixed;
  float m_fixedSwapped;  // with the other operand first
};

// round((a − z_a)·(b − z_b)·(s_a·s_b / s_y) + z_y), the product of the codes exact.
class Product {
 public:
  explicit Product(const OperandGrids& grids)
      : m_zeroA(grids.a.zeroPoint),
        m_zeroB(grids.b.zeroPoint),
        m_ratio(grids.a.scale * grids.b.scale / grids.y.scale),
        m_zeroY(static_cast<float>(grids.y.zeroPoint)) {}

  template <class T>
  void row(const T* a, std::int64_t stepA, const T* b, std::int64_t stepB, T* y,
           std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t product = (a[i * stepA] - m_zeroA) * (b[i * stepB] - m_zeroB);
      y[i] = roundToCode<T>(static_cast<float>(product) * m_ratio + m_zeroY, 0);
    }
  }

 private:
  std::int32_t m_zeroA;
  std::int32_t m_zeroB;
  float m_ratio;
  float m_zeroY;
};

template <class Operation>
void combine(std::span<Tensor> inputs, std::span<Tensor> outputs) {
  const Operation operation(
      OperandGrids{CodeGrid(inputs, 1), CodeGrid(inputs, 4), CodeGrid(inputs, 6)});
  std::array operands{requiredInput(inputs, 0), requiredInput(inputs, 3)};
  const BroadcastPlan plan = planBroadcast(operands);
  Tensor y(operands[0].type(), plan.shape, plan.layout);
  visitByteCodes(y.type(), [&]<class T>() {
    const T* a = operands[0].values<T>().data();
    const T* b = operands[1].values<T>().data();
    T* to = y.mutableValues<T>().data();
    const std::size_t last = plan.axes - 1;
    forEachRow(plan, [&](const auto& offsets, std::int64_t target, std::int64_t count) {
      operation.row(a + offsets[0], plan.strides[0][last], b + offsets[1], plan.strides[1][last],
                    to + target, count);
    });
  });
  setOutput(outputs, 0, std::move(y));
}

template <class Operation>
std::unique_ptr<Kernel> binary(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(combine<Operation>, Kernel::InputLayout::Any);
}

}  // namespace

void registerQLinearBinary(OperatorRegistry& registry) {
  registry.add("QLinearAdd", {1}, binary<Sum>, "com.microsoft");
  registry.add("QLinearMul", {1}, binary<Product>, "com.microsoft");
}

}  // namespace quantscope
