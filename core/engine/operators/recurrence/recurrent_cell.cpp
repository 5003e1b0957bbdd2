#include "engine/operators/recurrence/recurrent_cell.h"

namespace quantscope {

RecurrentClip::RecurrentClip(const Node& node) {
  if (node.has("clip")) m_threshold = node.real("clip", 0);
}

void RecurrentClip::apply(std::span<float> x) const {
  if (!m_threshold) return;
  const float threshold = *m_threshold;
  for (float& element : x) {
    element = element > threshold ? threshold : (element < -threshold ? -threshold : element);
  }
}

}  // namespace quantscope
