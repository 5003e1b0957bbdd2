#include "precision/sharing/hand_sharer.h"

#include <algorithm>

#include "base/configuration_error.h"
#include "precision/config/precision_words.h"

namespace quantscope {
namespace {

std::string quoted(const std::string& path) {
  return "'" + path + "'";
}

}  // namespace

HandSharer::HandSharer(const Graph& graph, const Backend& backend, const HandSharing& sharing,
                       const std::vector<FusedLayer>& layers, ObserverGroups& groups)
    : m_graph(graph),
      m_backend(backend),
      m_sharing(sharing),
      m_groups(groups),
      m_partOf(groups.points.size(), kNotParted) {
  if (sharing.empty()) return;
  m_named.emplace(graph, layers, groups.points);
  for (std::size_t i = 0; i < sharing.part.size(); ++i) {
    for (const std::size_t point : m_named->find(sharing.part[i])) m_partOf[point] = i;
  }
}

void HandSharer::apply(UnionFind& sets) {
  if (m_sharing.empty()) return;
  checkParts();
  requireParted(sets, SharingCause::Backend, "backend " + m_backend.name + " makes them share");
  for (std::size_t list = 0; list < m_sharing.join.size(); ++list) {
    const std::vector<std::size_t> points = pointsOf(list);
    for (std::size_t i = 1; i < points.size(); ++i) {
      requireJoinable(list, points.front(), points[i]);
      sets.unite(points.front(), points[i]);
      m_groups.links.push_back({points.front(), points[i], SharingCause::ByHand});
    }
    requireParted(sets, SharingCause::ByHand, quoted(joinPath(list)) + " joins them");
  }
}

std::vector<std::size_t> HandSharer::pointsOf(std::size_t list) {
  std::vector<std::size_t> points;
  for (const PointName& name : m_sharing.join[list]) {
    const std::vector<std::size_t>& found = m_named->find(name);
    points.insert(points.end(), found.begin(), found.end());
    if (!found.empty()) continue;
    m_groups.notices.push_back(quoted(joinPath(list)) + " has no effect on " +
                               quantscope::describe(name) + ", which is not quantized");
  }
  if (!points.empty() && m_groups.points[points.front()].precision.dynamic) {
    m_groups.notices.push_back(quoted(joinPath(list)) +
                               " has no effect: " + describe(points.front()) +
                               " is dynamic, so that each sample brings its own range");
  }
  return points;
}

void HandSharer::requireJoinable(std::size_t list, std::size_t first, std::size_t other) const {
  const QuantizationPoint& a = m_groups.points[first];
  const QuantizationPoint& b = m_groups.points[other];
  const std::string joins = "joins " + describe(first) + " and " + describe(other);
  if (a.precision != b.precision) {
    throw ConfigurationError(joinPath(list),
                             joins + ", which ask for different precisions: " +
                                 wordsOfChange(a.precision, b.precision, TensorRole::Activation),
                             "give both the same precision, or take one of them out of the list");
  }
  if (a.precision.granularity.kind == Granularity::Kind::PerChannel && a.value != b.value) {
    throw ConfigurationError(joinPath(list), joins + ", whose channels have grids of their own",
                             "use per-tensor at both, or take one of them out of the list");
  }
  if (a.fixed != b.fixed) {
    throw ConfigurationError(joinPath(list),
                             joins + ", but backend " + m_backend.name + " sets the grid of " +
                                 describe(a.fixed ? first : other),
                             "set a range by hand there, or take it out of the list");
  }
}

std::vector<std::size_t> HandSharer::otherPointsOf(std::size_t point) const {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < m_groups.points.size(); ++i) {
    if (m_groups.points[i].value == m_groups.points[point].value && areParted(i, point)) {
      others.push_back(i);
    }
  }
  return others;
}

// Points that are both parted from all else may be joined with each other.
void HandSharer::requireParted(UnionFind& sets, SharingCause cause,
                               const std::string& reason) const {
  for (std::size_t point = 0; point < m_partOf.size(); ++point) {
    if (m_partOf[point] == kNotParted) continue;
    for (const std::size_t other : otherPointsOf(point)) {
      if (sets.find(point) != sets.find(other)) continue;
      if (cause == SharingCause::ByHand && m_partOf[other] != kNotParted) continue;
      throw ConfigurationError(
          partPath(m_partOf[point]),
          "parts " + describe(point) + " from " + describe(other) + ", but " + reason,
          "remove the entry, or what brings them together");
    }
  }
}

std::optional<std::size_t> HandSharer::forcedPartner(std::size_t point) const {
  for (const SharingLink& link : m_groups.links) {
    if (link.cause != SharingCause::Backend) continue;
    if (link.first == point) return link.second;
    if (link.second == point) return link.first;
  }
  return std::nullopt;
}

// Entries that part nothing.
void HandSharer::checkParts() {
  for (std::size_t i = 0; i < m_sharing.part.size(); ++i) {
    const std::vector<std::size_t>& points = m_named->find(m_sharing.part[i]);
    const std::string name = quantscope::describe(m_sharing.part[i]);
    if (points.empty()) {
      m_groups.notices.push_back(quoted(partPath(i)) + " has no effect on " + name +
                                 ", which is not quantized");
      continue;
    }
    const bool alone = std::ranges::all_of(
        points, [&](std::size_t point) { return otherPointsOf(point).empty(); });
    if (!alone) continue;
    if (const std::optional<std::size_t> partner = forcedPartner(points.front())) {
      throw ConfigurationError(
          partPath(i),
          "parts " + name + ", which backend " + m_backend.name + " makes share one grid with " +
              describe(*partner),
          "part what brings a value there or takes one from there, or remove the entry");
    }
    m_groups.notices.push_back(quoted(partPath(i)) + " has no effect: " + name +
                               " shares with nothing by itself");
  }
}

std::string HandSharer::describe(std::size_t point) const {
  return quantscope::describe(m_graph, m_groups.points[point]);
}

}  // namespace quantscope
