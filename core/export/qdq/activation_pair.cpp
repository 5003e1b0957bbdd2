#include "export/qdq/activation_pair.h"

#include <optional>

#include "export/qdq/dynamic_grid.h"
#include "export/qdq/grid_tensors.h"
#include "onnx/element_numbers.h"

namespace quantscope {
namespace {

std::vector<Attribute> axisAttributes(const QuantParams& params) {
  if (params.grids.size() <= 1 || !params.perChannel()) return {};
  std::vector<Attribute> attributes{{"axis", std::int64_t{params.axis}}};
  if (params.groupSize > 0) attributes.push_back({"block_size", std::int64_t{params.groupSize}});
  return attributes;
}

class PairWriter {
 public:
  PairWriter(DraftBuilder& draft, const QuantParams& params, const std::string& base, BlockId block,
             ExportLosses& losses)
      : m_draft(draft), m_params(params), m_base(base), m_block(block), m_losses(losses) {}

  ValueId write(ValueId x) {
    const ElementType element = m_draft.graph()[x].type.element.value_or(ElementType::Float32);
    x = addCast(m_draft, x, ElementType::Float32, m_base, m_block);
    return addCast(m_draft, round(x), element, m_base, m_block);
  }

 private:
  // A copy: nodes that are added move the values.
  ValueType typeOf(ValueId x) const { return m_draft.graph()[x].type; }

  ValueId node(std::string_view op, std::vector<ValueId> inputs, const ValueType& type,
               std::vector<Attribute> attributes = {}, std::string_view domain = {}) {
    return m_draft.node({op, std::move(inputs), std::move(attributes), domain}, m_base, m_block,
                        type);
  }

  ValueId number(float value, const char* what) {
    return m_draft.constant(m_base + "_" + what, Tensor::scalar(value), m_block);
  }

  ValueId round(ValueId x) {
    const QuantType type = m_params.type;
    if (type == QuantType::Float16 || type == QuantType::BFloat16) {
      const ElementType half =
          type == QuantType::Float16 ? ElementType::Float16 : ElementType::BFloat16;
      const ValueId narrow = addCast(m_draft, x, half, m_base, m_block);
      return addCast(m_draft, narrow, ElementType::Float32, m_base, m_block);
    }
    if (isSignCode(type)) return type == QuantType::Binary ? binary(x) : ternary(x);
    return m_params.dynamic ? dynamic(x) : staticPair(x);
  }

  ValueId staticPair(ValueId x) {
    const std::optional<Shape> shape = blockedShape(typeOf(x));
    if (!shape) {
      m_losses.push_back({"", "blocks of a value have no operator below opset " +
                                  std::to_string(lowestOpset(m_params)) +
                                  " or without a known shape: the value stays float"});
      return x;
    }
    const CodeType code = codeTypeOf(m_params, m_draft.opset());
    const GridTensors grid = gridTensors(m_params, code, *shape);
    const ValueId scale = m_draft.constant(m_base + "_scale", grid.scale, m_block);
    const ValueId zero =
        m_draft.constant(m_base + "_zero_point", grid.zeroPoint, m_block, code.storedType);
    return quantizeAndBack(x, code, scale, zero);
  }

  // The shape that blocks are cut from: empty without blocks, nullopt if it is not
  // known.
  std::optional<Shape> blockedShape(const ValueType& type) const {
    if (m_params.groupSize == 0) return Shape{};
    if (m_draft.opset() < lowestOpset(m_params) || !type.shape) return std::nullopt;
    Shape shape;
    for (const Dimension& dimension : *type.shape) {
      if (!dimension.known()) return std::nullopt;
      shape.append(dimension.extent);
    }
    return shape;
  }

  ValueId quantizeAndBack(ValueId x, const CodeType& code, ValueId scale, ValueId zero) {
    // 16 and 4 bits have no Clip in ONNX Runtime: their numbers are clipped, not their codes.
    const bool clipsCodes = code.clipped && code.storedType == 0 && byteSize(code.carrier) == 1;
    if (code.clipped && !clipsCodes) x = clipNumbers(x, scale, zero);
    ValueId codes = node("QuantizeLinear", {x, scale, zero}, withElement(typeOf(x), code.carrier),
                         axisAttributes(m_params), code.domain);
    if (clipsCodes) codes = clipCodes(codes, code);
    return addDequantize(m_draft, {codes, scale, zero}, m_params,
                         withElement(typeOf(x), ElementType::Float32), m_base, m_block);
  }

  ValueId clipCodes(ValueId codes, const CodeType& code) {
    const auto bound = [&](std::int32_t limit, const char* what) {
      return m_draft.constant(m_base + "_" + what, codeScalar(limit, code.carrier), m_block);
    };
    return node("Clip", {codes, bound(m_params.qmin, "qmin"), bound(m_params.qmax, "qmax")},
                typeOf(codes));
  }

  // (limit − zero point) · scale: of one grid alone, the other forms clip nothing.
  ValueId clipNumbers(ValueId x, ValueId /*scale*/, ValueId /*zero*/) {
    if (m_params.grids.size() != 1) {
      m_losses.push_back({"", "codes beyond " + std::to_string(m_params.qmin) + " … " +
                                  std::to_string(m_params.qmax) +
                                  " are not clipped: there is no Clip with a bound per channel"});
      return x;
    }
    const Range range = m_params.representable(m_params.grids.front());
    return node("Clip", {x, number(range.low, "low"), number(range.high, "high")}, typeOf(x));
  }

  ValueId dynamic(ValueId x) {
    if (isDynamicQuantizeLinear(m_params)) {
      const ValueType type = typeOf(x);
      const ValueType scalar{.element = ElementType::Float32, .shape = std::vector<Dimension>()};
      const std::vector<ValueId> made = m_draft.nodes(
          {"DynamicQuantizeLinear", {x}}, m_base, m_block,
          {withElement(type, ElementType::UInt8), scalar, withElement(scalar, ElementType::UInt8)});
      return addDequantize(m_draft, {made[0], made[1], made[2]}, m_params,
                           withElement(type, ElementType::Float32), m_base, m_block);
    }
    const CodeType code = codeTypeOf(m_params, m_draft.opset());
    if (code.storedType != 0 && !m_params.symmetric) {
      m_losses.push_back(
          {"", "a dynamic " + std::string(name(m_params.type)) +
                   " grid with a zero point has no operators: the value stays float"});
      return x;
    }
    const DynamicGrid grid = addDynamicGrid(m_draft, x, m_params, code, m_base, m_block);
    return quantizeAndBack(x, code, grid.scale, grid.zeroPoint);
  }

  // −α where x < 0, else α.
  ValueId binary(ValueId x) {
    const float alpha = m_params.grids.front().scale;
    m_losses.push_back({"",
                        "binary codes have no operators of their own: the two numbers are "
                        "chosen in float"});
    const ValueId below =
        node("Less", {x, number(0, "zero")}, withElement(typeOf(x), ElementType::Bool));
    return node("Where", {below, number(-alpha, "low"), number(alpha, "high")}, typeOf(x));
  }

  // sign(x) · α where |x| > Δ, else 0.
  ValueId ternary(ValueId x) {
    const Grid& grid = m_params.grids.front();
    m_losses.push_back({"",
                        "ternary codes have no operators of their own: the three numbers are "
                        "chosen in float"});
    const ValueType type = typeOf(x);
    const ValueId sign = node("Sign", {x}, type);
    const ValueId signedScale = node("Mul", {sign, number(grid.scale, "scale")}, type);
    const ValueId magnitude = node("Abs", {x}, type);
    const ValueId above = node("Greater", {magnitude, number(grid.threshold, "threshold")},
                               withElement(type, ElementType::Bool));
    return node("Where", {above, signedScale, number(0, "zero")}, type);
  }

  DraftBuilder& m_draft;
  const QuantParams& m_params;
  const std::string& m_base;
  BlockId m_block;
  ExportLosses& m_losses;
};

}  // namespace

ValueId addActivationPair(DraftBuilder& draft, ValueId x, const QuantParams& params,
                          const std::string& base, BlockId block, ExportLosses& losses) {
  return PairWriter(draft, params, base, block, losses).write(x);
}

ValueId addDequantize(DraftBuilder& draft, const QuantizedCodes& codes, const QuantParams& params,
                      const ValueType& type, const std::string& base, BlockId block) {
  const std::string_view domain = params.dynamic && isDynamicQuantizeLinear(params)
                                      ? std::string_view()
                                      : codeTypeOf(params, draft.opset()).domain;
  return draft.node({"DequantizeLinear",
                     {codes.codes, codes.scale, codes.zeroPoint},
                     axisAttributes(params),
                     domain},
                    base, block, type);
}

ValueId addCast(DraftBuilder& draft, ValueId x, ElementType to, const std::string& base,
                BlockId block) {
  const ValueType type = draft.graph()[x].type;
  if (type.element.value_or(ElementType::Float32) == to) return x;
  return draft.node({"Cast", {x}, {{"to", std::int64_t{onnxNumberOf(to)}}}}, base, block,
                    withElement(type, to));
}

}  // namespace quantscope
