#include "export/qdq/stored_constant.h"

#include <cmath>
#include <limits>
#include <optional>

#include "engine/tensor_codes.h"
#include "export/qdq/activation_pair.h"
#include "export/qdq/grid_tensors.h"

namespace quantscope {
namespace {

bool isHalf(QuantType type) {
  return type == QuantType::Float16 || type == QuantType::BFloat16;
}

ValueId addHalfConstant(DraftBuilder& draft, const Tensor& rounded, QuantType type,
                        const ConstantPlace& place) {
  const ElementType half =
      type == QuantType::Float16 ? ElementType::Float16 : ElementType::BFloat16;
  const ValueId stored =
      draft.constant(place.name + "_quantized", fromFloat32(rounded, half), place.block);
  return addCast(draft, stored, ElementType::Float32, place.name, place.block);
}

std::string bitsInEight(QuantType type) {
  return std::string(name(type)) + " weights are stored in 8 bits each: the opset has no type of " +
         std::to_string(bitWidth(type)) + (bitWidth(type) == 1 ? " bit" : " bits");
}

// The int32 whose product with the scale, as DequantizeLinear computes it, is `value`.
std::optional<std::int32_t> codeOf(float value, float scale) {
  constexpr double kLowest = std::numeric_limits<std::int32_t>::min();
  constexpr double kHighest = std::numeric_limits<std::int32_t>::max();
  if (!(scale > 0)) return std::nullopt;
  const double quotient = std::nearbyint(double{value} / scale);
  const auto nearest = static_cast<float>(quotient);
  // Beyond 2^24 neighbouring codes have the same float: those next to it are tried as well.
  for (const float candidate :
       {nearest, std::nextafter(nearest, -INFINITY), std::nextafter(nearest, INFINITY)}) {
    const double code = std::abs(quotient) < (1 << 24) ? quotient : double{candidate};
    const double held = std::min(std::max(code, kLowest), kHighest);
    const auto integer = static_cast<std::int32_t>(held);
    if (static_cast<float>(integer) * scale == value) return integer;
  }
  return std::nullopt;
}

std::optional<Tensor> codesOfBias(const Tensor& bias, const std::vector<float>& scales) {
  Tensor codes(ElementType::Int32, bias.shape());
  const std::span<const float> values = bias.values<float>();
  const std::span<std::int32_t> target = codes.mutableValues<std::int32_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto code = codeOf(values[i], scales[scales.size() == 1 ? 0 : i]);
    if (!code) return std::nullopt;
    target[i] = *code;
  }
  return codes;
}

}  // namespace

ValueId addFloatConstant(DraftBuilder& draft, const Tensor& values, const ConstantPlace& place) {
  return draft.constant(place.name, values, place.block);
}

ValueId addStoredConstant(DraftBuilder& draft, const Tensor& rounded, const QuantParams& params,
                          const ConstantPlace& place, ExportLosses& losses) {
  if (isHalf(params.type)) return addHalfConstant(draft, rounded, params.type, place);
  if (params.groupSize > 0 && draft.opset() < lowestOpset(params)) {
    losses.push_back({"", "blocks of weights have no operator below opset " +
                              std::to_string(lowestOpset(params)) +
                              ": the weights are stored as the rounded floats"});
    return addFloatConstant(draft, rounded, {place.name + "_rounded", place.block});
  }
  const CodeType code = codeTypeOf(params, draft.opset());
  if (code.storedType == 0 && bitWidth(params.type) < 8) {
    losses.push_back({"", bitsInEight(params.type)});
  }
  const GridTensors grid = gridTensors(params, code, rounded.shape());
  const QuantizedCodes codes{
      draft.constant(place.name + "_quantized", codesOf(rounded, params), place.block,
                     code.storedType),
      draft.constant(place.name + "_scale", grid.scale, place.block),
      draft.constant(place.name + "_zero_point", grid.zeroPoint, place.block, code.storedType)};
  return addDequantize(draft, codes, params, typeOfTensor(rounded), place.name, place.block);
}

ValueId addStoredBias(DraftBuilder& draft, const Tensor& bias, const BiasParams& params,
                      bool integerLayer, const ConstantPlace& place, ExportLosses& losses) {
  if (params.bits == 0) {
    if (integerLayer) {
      losses.push_back({"",
                        "its bias stays float, as the backend adds it and as it was shown: a "
                        "runtime that fuses only integer biases runs the layer in float unless "
                        "the configuration has \"bias\": \"int32-fit\""});
    }
    return addFloatConstant(draft, bias, place);
  }
  if (params.bits > 32) {
    losses.push_back({"",
                      "its bias of 64 bits beside 16-bit activations is stored as the rounded "
                      "floats"});
    return addFloatConstant(draft, bias, place);
  }
  const std::optional<Tensor> codes = codesOfBias(bias, params.scales);
  if (!codes) {
    losses.push_back({"", "its bias has steps too small for a scale and is stored as floats"});
    return addFloatConstant(draft, bias, place);
  }
  const bool single = params.scales.size() == 1;
  const Shape shape = single ? Shape{} : Shape{static_cast<std::int64_t>(params.scales.size())};
  const ValueId stored = draft.constant(place.name + "_quantized", *codes, place.block);
  const ValueId scale = draft.constant(
      place.name + "_scale", Tensor::of(shape, std::span<const float>(params.scales)), place.block);
  // Without a zero point: a bias has none.
  std::vector<Attribute> axis;
  if (!single) axis.push_back({"axis", static_cast<std::int64_t>(bias.shape().rank()) - 1});
  return draft.node({"DequantizeLinear", {stored, scale}, std::move(axis)}, place.name, place.block,
                    typeOfTensor(bias));
}

}  // namespace quantscope
