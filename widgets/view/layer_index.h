#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// Finds the layer that a node belongs to.
class LayerIndex {
 public:
  LayerIndex() = default;
  explicit LayerIndex(const AnalysisResult& result);

  /// Index into AnalysisResult::layers.
  std::optional<std::size_t> find(NodeId node) const {
    if (!node.valid() || node.at() >= m_byNode.size() || m_byNode[node.at()] == kNone) {
      return std::nullopt;
    }
    return m_byNode[node.at()];
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<std::uint32_t> m_byNode;
};

/// True where both have the same layers, whatever is known of them.
bool sameLayers(const AnalysisResult* a, const AnalysisResult* b);

}  // namespace quantscope
