#include "export/qdq/dynamic_grid.h"

#include <cfloat>

#include "export/qdq/activation_pair.h"
#include "export/qdq/grid_tensors.h"

namespace quantscope {
namespace {

class GridWriter {
 public:
  GridWriter(DraftBuilder& draft, const QuantParams& params, const CodeType& code,
             const std::string& base, BlockId block)
      : m_draft(draft), m_params(params), m_code(code), m_base(base), m_block(block) {}

  DynamicGrid write(ValueId x) {
    return m_params.symmetric || !isInteger(m_params.type) ? symmetric(x) : asymmetric(x);
  }

 private:
  ValueId scalar(std::string_view op, std::vector<ValueId> inputs) {
    return m_draft.node({op, std::move(inputs)}, m_base, m_block, m_scalar);
  }
  ValueId extreme(std::string_view op, ValueId x) {
    return m_draft.node({op, {x}, {{"keepdims", std::int64_t{0}}}}, m_base, m_block, m_scalar);
  }
  ValueId number(double value, const char* what) {
    return m_draft.constant(m_base + "_" + what, Tensor::scalar(static_cast<float>(value)),
                            m_block);
  }

  ValueId withFloor(ValueId scale) {
    const bool pytorch = m_params.convention == Convention::PyTorch;
    return scalar("Max", {scale, number(pytorch ? FLT_EPSILON : FLT_MIN, "least_scale")});
  }

  // A grid from the range −1 … 1 has the scale 1 / steps.
  DynamicGrid symmetric(ValueId x) {
    const ValueId magnitude = m_draft.node({"Abs", {x}}, m_base, m_block, m_draft.graph()[x].type);
    const Grid unit = gridFromRange({-1, 1, false}, m_params);
    const double steps = isInteger(m_params.type) ? stepsOf(unit) : largestNumber(m_params.type);
    const ValueId scale =
        withFloor(scalar("Div", {extreme("ReduceMax", magnitude), number(steps, "steps")}));
    const Tensor zero = codeScalar(unit.zeroPoint, m_code.carrier);
    return {scale, m_draft.constant(m_base + "_zero_point", zero, m_block, m_code.storedType)};
  }

  double stepsOf(const Grid& unit) const {
    if (m_params.convention == Convention::PyTorch) return (m_params.qmax - m_params.qmin) / 2.0;
    return isSigned(m_params.type) ? m_params.qmax : m_params.qmax - unit.zeroPoint;
  }

  DynamicGrid asymmetric(ValueId x) {
    const ValueId zero = number(0, "zero");
    const ValueId low = scalar("Min", {extreme("ReduceMin", x), zero});
    const ValueId high = scalar("Max", {extreme("ReduceMax", x), zero});
    const ValueId width = scalar("Sub", {high, low});
    const ValueId scale = withFloor(
        scalar("Div", {width, number(double{1} * m_params.qmax - m_params.qmin, "steps")}));
    const ValueId qmin = number(m_params.qmin, "qmin_real");
    const ValueId below = scalar("Round", {scalar("Div", {low, scale})});
    const ValueId code =
        scalar("Clip", {scalar("Sub", {qmin, below}), qmin, number(m_params.qmax, "qmax_real")});
    return {scale, addCast(m_draft, code, m_code.carrier, m_base, m_block)};
  }

  DraftBuilder& m_draft;
  const QuantParams& m_params;
  const CodeType& m_code;
  const std::string& m_base;
  BlockId m_block;
  ValueType m_scalar{.element = ElementType::Float32, .shape = std::vector<Dimension>()};
};

}  // namespace

bool isDynamicQuantizeLinear(const QuantParams& params) {
  return params.type == QuantType::UInt8 && !params.symmetric && params.qmin == 0 &&
         params.qmax == 255 && params.convention == Convention::Onnx;
}

DynamicGrid addDynamicGrid(DraftBuilder& draft, ValueId x, const QuantParams& params,
                           const CodeType& code, const std::string& base, BlockId block) {
  return GridWriter(draft, params, code, base, block).write(x);
}

}  // namespace quantscope
