#pragma once

#include <vector>

#include "precision/edits/config_edit.h"
#include "precision/layers/fused_patterns.h"

namespace quantscope {

/// What an edit owes to the followers of fused patterns.
///
/// A pattern whose lead is float breaks up, and its followers are layers of their own that would be
/// quantized by themselves. So an edit that takes a lead to float, by an entry of its own or by a
/// rule, takes its followers to float with entries of their own; one that quantizes the lead again
/// takes those entries away.
class FusedFollowers {
 public:
  /// The patterns are those of a configuration that quantizes everything; `regions` are the
  /// backend's in the graph. `engine` must outlive it.
  FusedFollowers(const Engine& engine, const Backend& backend,
                 const std::vector<FloatRegion>& regions);

  /// `edit` of `config` with what it means for followers. `resolved` is `config` resolved, `rules`
  /// the same without the entries of single nodes. Throws as ResolvedConfig does for what the edit
  /// makes of the rules.
  ConfigEdit complete(ConfigEdit edit, const Configuration& config, const ResolvedConfig& resolved,
                      const ResolvedConfig& rules) const;

  /// The lead of the pattern that a node follows in; not valid where it follows none.
  NodeId leadOf(NodeId node) const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::vector<std::size_t> patternsOf(const ConfigEdit& edit) const;

  const Engine& m_engine;
  std::vector<FusedLayer> m_patterns;    // of two nodes and more
  std::vector<std::size_t> m_patternOf;  // by node; kNone = it is a layer of its own
};

/// `config` without the entries of single nodes.
PrecisionConfig withoutNodes(PrecisionConfig config);

}  // namespace quantscope
