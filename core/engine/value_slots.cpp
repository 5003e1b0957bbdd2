#include "engine/value_slots.h"

#include <utility>

namespace quantscope {

void ValueSlots::store(ValueId id, Tensor tensor, ElementType half) {
  if (!has(id)) return;
  Slot& target = slot(id);
  target.half = half;
  if (tensor.layout() == Layout::ChannelsLast) {
    target.channelsLast = std::move(tensor);
    target.plain = Tensor();
  } else {
    target.plain = std::move(tensor);
    target.channelsLast = Tensor();
  }
}

void ValueSlots::forget(std::span<const ValueId> ids) {
  for (const ValueId id : ids) {
    if (has(id)) slot(id) = Slot{};
  }
}

StoredValue ValueSlots::stored(ValueId id) const {
  if (!id.valid() || !has(id)) return {};
  const Slot& source = m_slots[static_cast<std::size_t>(m_plan.slot(id))];
  return {source.channelsLast.defined() ? source.channelsLast : source.plain, source.half};
}

StoredValue ValueSlots::read(ValueId id, Layout preferred) {
  Slot& source = slot(id);
  if (preferred == Layout::ChannelsLast && source.channelsLast.defined()) {
    return {source.channelsLast, source.half};
  }
  if (!source.plain.defined() && source.channelsLast.defined()) {
    source.plain = toLayout(source.channelsLast, Layout::Plain);
  }
  return {source.plain, source.half};
}

StoredValue ValueSlots::take(ValueId id, Layout preferred) {
  StoredValue value = read(id, preferred);
  slot(id) = Slot{};
  return value;
}

}  // namespace quantscope
