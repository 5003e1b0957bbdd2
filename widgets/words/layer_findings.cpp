#include "widgets/words/layer_findings.h"

#include <algorithm>

namespace quantscope {
namespace {

void add(FindingSum& sum, const FindingSum& more) {
  if (more.count == 0) return;
  sum.worst = sum.count == 0 ? more.worst : std::max(sum.worst, more.worst);
  sum.count += more.count;
}

}  // namespace

LayerFindings::LayerFindings(const AnalysisSnapshot& snapshot, const LayerIndex& layers,
                             const Dismissed& dismissed) {
  if (!snapshot.detected) return;
  m_ofLayer.resize(snapshot.result->layers.size());
  m_sums.resize(m_ofLayer.size());
  const std::vector<Finding>& findings = snapshot.detected->findings;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (dismissed.contains(findings[i].id)) continue;
    const std::optional<std::size_t> layer = layers.find(findings[i].node);
    if (!layer) {
      m_ofNoLayer.push_back(i);
      continue;
    }
    m_ofLayer[*layer].push_back(i);
    add(m_sums[*layer], {1, findings[i].severity});
  }
}

std::span<const std::size_t> LayerFindings::of(std::size_t layer) const {
  if (layer >= m_ofLayer.size()) return {};
  return m_ofLayer[layer];
}

FindingSum LayerFindings::sum(std::span<const std::size_t> layers) const {
  FindingSum sum;
  for (const std::size_t layer : layers) {
    if (layer < m_sums.size()) add(sum, m_sums[layer]);
  }
  return sum;
}

}  // namespace quantscope
