#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "analysis/analysis_result.h"

namespace quantscope {

/// Finds the layer that a node belongs to.
class LayerIndex {
 public:
  LayerIndex() = default;
  explicit LayerIndex(const AnalysisResult& result) {
    for (std::size_t i = 0; i < result.layers.size(); ++i) {
      for (const NodeId member : result.layers[i].members) m_byNode.emplace(member, i);
    }
  }

  /// Index into AnalysisResult::layers.
  std::optional<std::size_t> find(NodeId node) const {
    const auto found = m_byNode.find(node);
    if (found == m_byNode.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::unordered_map<NodeId, std::size_t> m_byNode;
};

/// True where both have the same layers, whatever is known of them.
bool sameLayers(const AnalysisResult* a, const AnalysisResult* b);

}  // namespace quantscope
