#pragma once

#include <optional>
#include <vector>

#include "precision/backend/backend.h"
#include "precision/config/named_points.h"
#include "precision/sharing/hand_sharing.h"
#include "precision/sharing/union_find.h"

namespace quantscope {

/// Applies the points merged and split by hand to the points of a graph.
class HandSharer {
 public:
  /// All must outlive it; `groups` has its points already.
  HandSharer(const Graph& graph, const Backend& backend, const HandSharing& sharing,
             const std::vector<FusedLayer>& layers, ObserverGroups& groups);

  /// True if two points of one value were split, so that they do not share implicitly.
  bool areSplit(std::size_t a, std::size_t b) const { return m_splitBy[a] != m_splitBy[b]; }

  /// Merges the listed points in `sets`, which hold all other sharing already, and adds links and
  /// notices to the groups. Throws InvalidConfiguration with the entry and the points if merged
  /// points ask for different precisions or have grids set by the backend, or if the backend or a
  /// merge unites points that were split.
  void apply(UnionFind& sets);

 private:
  static constexpr std::size_t kNotSplit = static_cast<std::size_t>(-1);

  std::vector<std::size_t> pointsOf(std::size_t list);
  void noteShared(UnionFind& sets, std::size_t list, const std::vector<std::size_t>& points) const;
  void requireMergeable(std::size_t list, std::size_t first, std::size_t other) const;
  void requireSplit(UnionFind& sets, SharingCause cause, const std::string& reason) const;
  std::vector<std::size_t> otherPointsOf(std::size_t point) const;
  std::optional<std::size_t> forcedPartner(std::size_t point) const;
  void checkSplits();
  std::string describe(std::size_t point) const;

  const Graph& m_graph;
  const Backend& m_backend;
  const HandSharing& m_sharing;
  ObserverGroups& m_groups;
  std::optional<NamedPoints> m_named;
  std::vector<std::size_t> m_splitBy;  // by point: the entry that splits it
};

}  // namespace quantscope
