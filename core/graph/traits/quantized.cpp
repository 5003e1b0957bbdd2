#include "graph/operator_traits.h"

namespace quantscope {
namespace {

OperatorTraits onCodes(std::string_view op, std::optional<std::size_t> outputScale,
                       ChannelFlow channels = ChannelFlow::Unknown) {
  return {.channels = channels,
          .codes = {.use = CodeUse::Computes, .floatOperator = op, .outputScale = outputScale}};
}

// A product on codes whose weight has a scale of its own among the inputs, or none.
OperatorTraits product(std::string_view op, ChannelFlow channels,
                       std::optional<std::size_t> outputScale, std::size_t weight,
                       std::optional<std::size_t> scale, std::size_t zeroPoint) {
  OperatorTraits traits = onCodes(op, outputScale, channels);
  traits.codes.weightSlot = weight;
  traits.codes.weightScale = scale;
  traits.codes.weightZeroPoint = zeroPoint;
  return traits;
}

}  // namespace

std::vector<NamedTraits> quantizedTraits() {
  OperatorTraits quantizes{.channels = ChannelFlow::Carried};
  quantizes.codes = {.use = CodeUse::Quantizes, .outputScale = 1};
  OperatorTraits dequantizes{.channels = ChannelFlow::Carried};
  dequantizes.codes = {.use = CodeUse::Dequantizes};
  OperatorTraits dynamic;
  dynamic.codes = {.use = CodeUse::QuantizesDynamically};
  constexpr ChannelFlow kCarried = ChannelFlow::Carried;
  constexpr ChannelFlow kSecond = ChannelFlow::SecondAxis;
  constexpr ChannelFlow kLast = ChannelFlow::LastAxis;
  return {{"QuantizeLinear", quantizes},
          {"DequantizeLinear", dequantizes},
          {"DynamicQuantizeLinear", dynamic},
          {"QLinearConv", product("Conv", kSecond, 6, 3, 4, 5)},
          {"QLinearMatMul", product("MatMul", kLast, 6, 3, 4, 5)},
          {"ConvInteger", product("Conv", kSecond, {}, 1, {}, 3)},
          {"MatMulInteger", product("MatMul", kLast, {}, 1, {}, 3)},
          {"QGemm", product("Gemm", kLast, 7, 3, 4, 5)},
          {"MatMulIntegerToFloat", product("MatMul", kLast, {}, 1, 3, 5)},
          {"DynamicQuantizeMatMul", product("MatMul", kLast, {}, 1, 2, 3)},
          {"QLinearAdd", onCodes("Add", 6, kCarried)},
          {"QLinearMul", onCodes("Mul", 6, kCarried)},
          {"QLinearConcat", onCodes("Concat", 0, kCarried)},
          {"QLinearLeakyRelu", onCodes("LeakyRelu", 3, kCarried)},
          {"QLinearSigmoid", onCodes("Sigmoid", 3, kCarried)},
          {"QLinearAveragePool", onCodes("AveragePool", 3, kSecond)},
          {"QLinearGlobalAveragePool", onCodes("GlobalAveragePool", 3, kSecond)}};
}

}  // namespace quantscope
