#include "export/qdq/hidden_grids.h"

#include <algorithm>

#include "export/qdq/activation_pair.h"
#include "export/qdq/grid_tensors.h"

namespace quantscope {
namespace {

/// An axis of known extent above 1, that of the channels before others; −1 = there is none.
int axisOf(const ValueType& type) {
  if (!type.shape) return -1;
  const std::vector<Dimension>& shape = *type.shape;
  const auto serves = [&](std::size_t axis) {
    return axis < shape.size() && shape[axis].known() && shape[axis].extent > 1;
  };
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    // 1, 0, 2, 3 …
    const std::size_t each = axis < 2 ? 1 - axis : axis;
    if (serves(each)) return static_cast<int>(each);
  }
  return -1;
}

bool hasOneScale(const QuantParams& params) {
  return isInteger(params.type) && !params.dynamic && params.groupSize == 0 &&
         params.grids.size() == 1;
}

}  // namespace

void HiddenGrids::note(ValueId rounded, const QuantParams& params) {
  if (hasOneScale(params)) m_noted[rounded] = &params;
}

ValueId HiddenGrids::of(ValueId rounded) {
  const auto noted = m_noted.find(rounded);
  if (noted == m_noted.end()) return rounded;
  const auto [made, isNew] = m_made.try_emplace(rounded, rounded);
  if (isNew) made->second = make(rounded, *noted->second);
  return made->second;
}

std::map<ValueId, ValueId> HiddenGrids::made() const {
  std::map<ValueId, ValueId> made = m_made;
  std::erase_if(made, [](const auto& entry) { return entry.first == entry.second; });
  return made;
}

ValueId HiddenGrids::make(ValueId rounded, const QuantParams& params) {
  const Value value = m_draft.graph()[rounded];  // a copy: what is added moves the values
  const NodeId producer = value.producer;
  const int axis = axisOf(value.type);
  // Of a value of a half type a Cast comes last.
  const bool dequantizes = producer.valid() && m_draft.graph()[producer].inputs.size() == 3;
  const bool isFloat = value.type.element.value_or(ElementType::Float32) == ElementType::Float32;
  if (axis < 0 || !dequantizes || !isFloat) return rounded;
  QuantParams each = params;
  each.axis = axis;
  const auto channels =
      static_cast<std::size_t>((*value.type.shape)[static_cast<std::size_t>(axis)].extent);
  each.grids.assign(channels, params.grids.front());
  const CodeType code = codeTypeOf(params, m_draft.opset());
  const GridTensors grid = gridTensors(each, code, {});
  const ValueId codes = m_draft.graph()[producer].inputs[0];
  const std::string base = value.name + "_by_channel";
  const ValueId scale = m_draft.constant(base + "_scale", grid.scale, value.block);
  const ValueId zero =
      m_draft.constant(base + "_zero_point", grid.zeroPoint, value.block, code.storedType);
  return addDequantize(m_draft, {codes, scale, zero}, each, value.type, base, value.block);
}

}  // namespace quantscope
