// MatMulIntegerToFloat and DynamicQuantizeMatMul: what MatMulInteger with the multiplications
// behind it, and DynamicQuantizeLinear in front of that, are fused to.

#include <array>

#include "engine/operators/operands.h"
#include "engine/operators/quantized/microsoft_quantized.h"
#include "engine/operators/quantized/quantized.h"

namespace quantscope {
namespace {

// y = sums · (s_a · s_b) + bias; s_b and bias per column, or one for all.
Tensor scaled(const Tensor& sums, float scaleA, const Tensor& scaleB, const Tensor& bias) {
  const auto columns = static_cast<std::size_t>(sums.shape().empty() ? 1 : sums.shape().back());
  const std::span<const float> scales = scaleB.values<float>();
  if ((scales.size() != 1 && scales.size() != columns) ||
      (bias.defined() && bias.elementCount() != columns)) {
    throw Error(ErrorCode::InvalidParameters, "a scale of shape " + toString(scaleB.shape()) +
                                                  " or a bias does not fit " +
                                                  std::to_string(columns) + " columns");
  }
  Tensor y(ElementType::Float32, sums.shape());
  for (std::size_t i = 0; i < y.elementCount(); ++i) {
    const std::size_t column = i % columns;
    const float factor = scaleA * scales[scales.size() == 1 ? 0 : column];
    const float value = static_cast<float>(sums.values<std::int32_t>()[i]) * factor;
    y.mutableValues<float>()[i] = bias.defined() ? value + bias.values<float>()[column] : value;
  }
  return y;
}

class ProductToFloat final : public Kernel {
 public:
  ProductToFloat(const Node& node, const Graph& graph, bool dynamic)
      : m_product(makeMatMulInteger(node, graph)),
        m_quantize(dynamic ? makeDynamicQuantizeLinear(node, graph) : nullptr) {}

  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    if (m_quantize == nullptr) {
      // A, B, scale of A, scale of B, zero point of A, zero point of B, bias
      requiredInput(inputs, 2);  // behind their end there is no part of them
      return finish({requiredInput(inputs, 0), requiredInput(inputs, 1),
                     inputOrUndefined(inputs, 4), inputOrUndefined(inputs, 5)},
                    CodeGrid(inputs.subspan(2, 1), 0).scale, requiredInput(inputs, 3),
                    inputOrUndefined(inputs, 6), outputs);
    }
    // A as float, B, scale of B, zero point of B, bias
    std::array<Tensor, 1> given{requiredInput(inputs, 0)};
    std::array<Tensor, 3> codes;
    m_quantize->run(given, codes);
    finish({codes[0], requiredInput(inputs, 1), codes[2], inputOrUndefined(inputs, 3)},
           codes[1].values<float>()[0], requiredInput(inputs, 2), inputOrUndefined(inputs, 4),
           outputs);
  }

 private:
  void finish(std::array<Tensor, 4> operands, float scaleA, const Tensor& scaleB,
              const Tensor& bias, std::span<Tensor> outputs) const {
    std::array<Tensor, 1> sums;
    m_product->run(operands, sums);
    setOutput(outputs, 0, scaled(sums[0], scaleA, scaleB, bias));
  }

  std::unique_ptr<Kernel> m_product;
  std::unique_ptr<Kernel> m_quantize;  // none where A comes quantized
};

std::unique_ptr<Kernel> productToFloat(const Node& node, const Graph& graph) {
  return std::make_unique<ProductToFloat>(node, graph, false);
}

std::unique_ptr<Kernel> dynamicProduct(const Node& node, const Graph& graph) {
  return std::make_unique<ProductToFloat>(node, graph, true);
}

}  // namespace

void registerIntegerProductsToFloat(OperatorRegistry& registry) {
  registry.add("MatMulIntegerToFloat", {1}, productToFloat, "com.microsoft");
  registry.add("DynamicQuantizeMatMul", {1}, dynamicProduct, "com.microsoft");
}

}  // namespace quantscope
