#pragma once

#include <optional>
#include <vector>

#include "precision/backend/backend.h"
#include "precision/config/named_points.h"
#include "precision/sharing/hand_sharing.h"
#include "precision/sharing/union_find.h"

namespace quantscope {

/// Carries out on the points of a graph what is joined and parted by hand.
class HandSharer {
 public:
  /// All must outlive it; `groups` has its points already.
  HandSharer(const Graph& graph, const Backend& backend, const HandSharing& sharing,
             const std::vector<FusedLayer>& layers, ObserverGroups& groups);

  /// True where two points of one value are not to share by themselves, although they could.
  bool areParted(std::size_t a, std::size_t b) const { return m_partOf[a] != m_partOf[b]; }

  /// Unites what is joined in `sets`, where all that shares otherwise is united already, and adds
  /// links and notices to the groups. Throws InvalidConfiguration, naming the entry and the points:
  /// where joined points ask for different precisions or have grids that the backend sets, and
  /// where the backend or a joining brings parted points together again.
  void apply(UnionFind& sets);

 private:
  static constexpr std::size_t kNotParted = static_cast<std::size_t>(-1);

  std::vector<std::size_t> pointsOf(std::size_t list);
  void requireJoinable(std::size_t list, std::size_t first, std::size_t other) const;
  void requireParted(UnionFind& sets, SharingCause cause, const std::string& reason) const;
  std::vector<std::size_t> otherPointsOf(std::size_t point) const;
  std::optional<std::size_t> forcedPartner(std::size_t point) const;
  void checkParts();
  std::string describe(std::size_t point) const;

  const Graph& m_graph;
  const Backend& m_backend;
  const HandSharing& m_sharing;
  ObserverGroups& m_groups;
  std::optional<NamedPoints> m_named;
  std::vector<std::size_t> m_partOf;  // by point: the entry that parts it
};

}  // namespace quantscope
