#include "engine/gradients/summing_listener.h"

#include <algorithm>

namespace quantscope {

CotangentSums zeroSums(std::span<const ValueId> sources) {
  CotangentSums sums;
  for (const ValueId source : sources) sums.emplace_back(source, CotangentSum());
  return sums;
}

std::vector<std::pair<ValueId, Tensor>> totalsOf(std::span<CotangentSums> sums,
                                                 const Workers& workers) {
  if (sums.empty()) return {};
  std::vector<std::pair<ValueId, Tensor>> totals(sums.front().size());
  workers.forEach(totals.size(), [&](std::size_t i) {
    auto& [source, sum] = sums.front()[i];
    for (const CotangentSums& other : sums.subspan(1)) sum.add(other[i].second);
    totals[i] = {source, sum.total()};
  });
  return totals;
}

CotangentSum* SummingListener::sumOf(ValueId source) {
  return &std::ranges::find(m_sums, source, &CotangentSums::value_type::first)->second;
}

}  // namespace quantscope
