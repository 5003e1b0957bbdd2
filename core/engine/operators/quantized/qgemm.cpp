#include <vector>

#include "engine/operators/broadcast.h"
#include "engine/operators/operands.h"
#include "engine/operators/quantized/integer_product.h"
#include "engine/operators/quantized/microsoft_quantized.h"

namespace quantscope {
namespace {

// A matrix [rows, columns] of codes minus zero points, transposed where asked for; the zero points
// belong to the rows of the result, or there is one for all.
Deviations deviations(const Tensor& codes, const Tensor& zeroPoint, bool transpose) {
  const auto rows = static_cast<std::size_t>(codes.shape()[0]);
  const auto columns = static_cast<std::size_t>(codes.shape()[1]);
  const Deviations plain = widenedCodes(codes);
  const std::size_t inner = transpose ? rows : columns;
  const ZeroPoints zeros(zeroPoint, static_cast<std::int64_t>(transpose ? columns : rows),
                         "a zero point");
  Deviations result(plain.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t row = i / inner;
    const std::size_t place = transpose ? i % inner * columns + row : i;
    result[i] = static_cast<std::int16_t>(plain[place] - zeros.at(static_cast<std::int64_t>(row)));
  }
  return result;
}

// C [M, N] or what broadcasts to it, added to int32 sums that wrap.
void addBias(Tensor bias, const Shape& shape, std::span<std::int32_t> sums) {
  std::vector<Tensor> operands{Tensor(ElementType::Int32, shape), std::move(bias)};
  const BroadcastPlan plan = planBroadcast(operands);
  if (plan.shape != shape) {
    throw Error(ErrorCode::InvalidParameters, "C does not broadcast to " + toString(shape));
  }
  const std::span<const std::int32_t> values = operands[1].values<std::int32_t>();
  const std::size_t last = plan.axes - 1;
  forEachRow(plan, [&](const auto& offsets, std::int64_t target, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t place = offsets[1] + i * plan.strides[1][last];
      std::int32_t& sum = sums[static_cast<std::size_t>(target + i)];
      sum = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(sum) +
          static_cast<std::uint32_t>(values[static_cast<std::size_t>(place)]));
    }
  });
}

struct GemmSettings {
  float alpha;
  bool transposeA, transposeB;
};

// A, its scale and zero point, B, its scales and zero points, C, scale and zero point of Y; without
// the last two Y is float.
void multiply(const GemmSettings& settings, std::span<Tensor> inputs, std::span<Tensor> outputs) {
  const Tensor& a = requiredInput(inputs, 0);
  const Tensor& b = requiredInput(inputs, 3);
  if (a.shape().rank() != 2 || b.shape().rank() != 2) {
    throw Error(ErrorCode::InvalidParameters, "QGemm multiplies matrices, not the shapes " +
                                                  toString(a.shape()) + " and " +
                                                  toString(b.shape()));
  }
  const std::int64_t m = a.shape()[settings.transposeA ? 1 : 0];
  const std::int64_t k = a.shape()[settings.transposeA ? 0 : 1];
  const std::int64_t n = b.shape()[settings.transposeB ? 0 : 1];
  if (b.shape()[settings.transposeB ? 1 : 0] != k) {
    throw Error(ErrorCode::InvalidParameters, "matrices of the shapes " + toString(a.shape()) +
                                                  " and " + toString(b.shape()) + " do not fit");
  }
  const Shape shape{m, n};
  std::vector<std::int32_t> sums(static_cast<std::size_t>(shape.elementCount()));
  multiplyDeviations(deviations(a, inputOrUndefined(inputs, 2), settings.transposeA).data(),
                     deviations(b, inputOrUndefined(inputs, 5), !settings.transposeB).data(),
                     sums.data(), m, n, k);
  if (const Tensor* bias = optionalInput(inputs, 6)) addBias(*bias, shape, sums);

  const Tensor inputScale =
      Tensor::scalar(settings.alpha * requiredInput(inputs, 1).values<float>()[0]);
  if (const Tensor* outputScale = optionalInput(inputs, 7)) {
    const Requantization requantization(inputScale, requiredInput(inputs, 4), *outputScale,
                                        requiredInput(inputs, 8), n);
    Tensor y(requantization.type(), shape);
    requantization.apply(sums, y);
    return setOutput(outputs, 0, std::move(y));
  }
  const std::span<const float> scales = requiredInput(inputs, 4).values<float>();
  Tensor y(ElementType::Float32, shape);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t column = scales.size() == 1 ? 0 : i % static_cast<std::size_t>(n);
    const float factor = inputScale.values<float>()[0] * scales[column];
    y.mutableValues<float>()[i] = static_cast<float>(sums[i]) * factor;
  }
  setOutput(outputs, 0, std::move(y));
}

std::unique_ptr<Kernel> quantizedGemm(const Node& node, const Graph& /*graph*/) {
  const GemmSettings settings{node.real("alpha", 1), node.integer("transA", 0) != 0,
                              node.integer("transB", 0) != 0};
  return makeKernel([settings](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    multiply(settings, inputs, outputs);
  });
}

}  // namespace

void registerQGemm(OperatorRegistry& registry) {
  registry.add("QGemm", {1}, quantizedGemm, "com.microsoft");
}

}  // namespace quantscope
