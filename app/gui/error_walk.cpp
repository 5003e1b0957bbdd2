#include "error_walk.h"

#include <algorithm>

#include "layer_order.h"

namespace quantscope {

bool ErrorWalk::possible() const {
  const SnapshotPtr& snapshot = m_session.snapshot();
  return snapshot && snapshot->stage != AnalysisSnapshot::Stage::Structure;
}

void ErrorWalk::go(int steps) {
  const AnalysisResult& result = *m_session.snapshot()->result;
  const std::vector<std::size_t> order = worstFirst(result, m_session.options());
  if (order.empty()) return;
  const auto current = LayerIndex(result).find(m_session.selection().current().node);
  const auto at = current ? std::ranges::find(order, *current) : order.end();
  if (steps == 0 || at == order.end()) return select(order.front());
  const auto position = at - order.begin() + steps;
  const auto last = static_cast<std::ptrdiff_t>(order.size()) - 1;
  select(order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(position, 0, last))]);
}

void ErrorWalk::select(std::size_t layer) {
  m_session.selection().selectNode(m_session.snapshot()->result->layers[layer].node);
  m_session.selection().requestCentre();
}

}  // namespace quantscope
