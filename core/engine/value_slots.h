#pragma once

#include <span>
#include <vector>

#include "engine/plan.h"
#include "tensor/tensor.h"

namespace quantscope {

/// A value as a run holds it. Another run that starts from it takes the same path through the
/// kernels.
struct StoredValue {
  Tensor tensor;  ///< in the layout that its node made
  /// The half type that float32 elements stand for, exactly; Float32 for plain float32 elements.
  ElementType half = ElementType::Float32;
};

/// The values that are alive during one run of a plan, each in the layouts that readers have asked
/// for so far. A copy shares the elements.
class ValueSlots {
 public:
  /// The plan must outlive it.
  explicit ValueSlots(const Plan& plan) : m_plan(plan), m_slots(plan.slotCount()) {}

  /// False for constants and for values that the plan does not touch.
  bool has(ValueId id) const { return m_plan.slot(id) >= 0; }
  /// Ignored for a value without a slot.
  void store(ValueId id, Tensor tensor, ElementType half = ElementType::Float32);
  void forget(std::span<const ValueId> ids);

  /// The value in the layout that its node made; undefined if it is not alive.
  StoredValue stored(ValueId id) const;
  /// The value in the preferred layout if that is at hand, else Plain. A conversion to Plain is
  /// kept for later readers. The value must have a slot.
  StoredValue read(ValueId id, Layout preferred);
  /// The same for the last reader: the value is forgotten, so that a kernel may overwrite it.
  StoredValue take(ValueId id, Layout preferred);

 private:
  struct Slot {
    Tensor plain;
    Tensor channelsLast;
    ElementType half = ElementType::Float32;  ///< as in StoredValue
  };

  Slot& slot(ValueId id) { return m_slots[static_cast<std::size_t>(m_plan.slot(id))]; }

  const Plan& m_plan;
  std::vector<Slot> m_slots;
};

}  // namespace quantscope
