#include "widgets/view/layer_index.h"

#include <algorithm>

namespace quantscope {

LayerIndex::LayerIndex(const AnalysisResult& result) {
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    for (const NodeId member : result.layers[i].members) {
      if (member.at() >= m_byNode.size()) m_byNode.resize(member.at() + 1, kNone);
      // The first layer that has a node counts.
      if (m_byNode[member.at()] == kNone) m_byNode[member.at()] = static_cast<std::uint32_t>(i);
    }
  }
}

bool sameLayers(const AnalysisResult* a, const AnalysisResult* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return std::ranges::equal(a->layers, b->layers, [](const LayerResult& x, const LayerResult& y) {
    return x.members == y.members && x.name == y.name;
  });
}

}  // namespace quantscope
