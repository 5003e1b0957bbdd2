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
      m_splitBy(groups.points.size(), kNotSplit) {
  if (sharing.empty()) return;
  m_named.emplace(graph, layers, groups.points);
  for (std::size_t i = 0; i < sharing.part.size(); ++i) {
    for (const std::size_t point : m_named->find(sharing.part[i])) m_splitBy[point] = i;
  }
}

void HandSharer::apply(UnionFind& sets) {
  if (m_sharing.empty()) return;
  checkSplits();
  requireSplit(sets, SharingCause::Backend, "backend " + m_backend.name + " makes them share");
  for (std::size_t list = 0; list < m_sharing.join.size(); ++list) {
    const std::vector<std::size_t> points = pointsOf(list);
    noteShared(sets, list, points);
    for (std::size_t i = 1; i < points.size(); ++i) {
      requireMergeable(list, points.front(), points[i]);
      sets.unite(points.front(), points[i]);
      m_groups.links.push_back({points.front(), points[i], SharingCause::ByHand});
    }
    requireSplit(sets, SharingCause::ByHand, quoted(mergePath(list)) + " merges them");
  }
}

std::vector<std::size_t> HandSharer::pointsOf(std::size_t list) {
  std::vector<std::size_t> points;
  for (const PointName& name : m_sharing.join[list]) {
    const std::vector<std::size_t>& found = m_named->find(name);
    points.insert(points.end(), found.begin(), found.end());
    if (!found.empty()) continue;
    m_groups.notices.push_back(quoted(mergePath(list)) + " has no effect on " +
                               quantscope::describe(name) + ", which is not quantized");
  }
  if (!points.empty() && m_groups.points[points.front()].precision.dynamic) {
    m_groups.notices.push_back(quoted(mergePath(list)) +
                               " has no effect: " + describe(points.front()) +
                               " is dynamic, so that each sample brings its own range");
  }
  return points;
}

void HandSharer::noteShared(UnionFind& sets, std::size_t list,
                            const std::vector<std::size_t>& points) const {
  if (points.size() < 2) return;
  const bool together = std::ranges::all_of(
      points, [&](std::size_t point) { return sets.find(point) == sets.find(points.front()); });
  if (!together) return;
  m_groups.notices.push_back(quoted(mergePath(list)) +
                             " has no effect: " + describe(points.front()) +
                             " and the others share one grid without it");
}

void HandSharer::requireMergeable(std::size_t list, std::size_t first, std::size_t other) const {
  const QuantizationPoint& a = m_groups.points[first];
  const QuantizationPoint& b = m_groups.points[other];
  const std::string merges = "merges " + describe(first) + " and " + describe(other);
  if (a.precision != b.precision) {
    throw configurationError(mergePath(list),
                             merges + ", which ask for different precisions: " +
                                 wordsOfChange(a.precision, b.precision, TensorRole::Activation),
                             "give both the same precision, or take one of them out of the list");
  }
  if (a.precision.granularity.kind == Granularity::Kind::PerChannel && a.value != b.value) {
    throw configurationError(mergePath(list), merges + ", whose channels have grids of their own",
                             "use per-tensor at both, or take one of them out of the list");
  }
  if (a.fixed != b.fixed) {
    throw configurationError(mergePath(list),
                             merges + ", but backend " + m_backend.name + " sets the grid of " +
                                 describe(a.fixed ? first : other),
                             "set a range by hand there, or take it out of the list");
  }
}

std::vector<std::size_t> HandSharer::otherPointsOf(std::size_t point) const {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < m_groups.points.size(); ++i) {
    if (m_groups.points[i].value == m_groups.points[point].value && areSplit(i, point)) {
      others.push_back(i);
    }
  }
  return others;
}

// Two split points may be merged with each other.
void HandSharer::requireSplit(UnionFind& sets, SharingCause cause,
                              const std::string& reason) const {
  for (std::size_t point = 0; point < m_splitBy.size(); ++point) {
    if (m_splitBy[point] == kNotSplit) continue;
    for (const std::size_t other : otherPointsOf(point)) {
      if (sets.find(point) != sets.find(other)) continue;
      if (cause == SharingCause::ByHand && m_splitBy[other] != kNotSplit) continue;
      throw configurationError(
          splitPath(m_splitBy[point]),
          "splits " + describe(point) + " from " + describe(other) + ", but " + reason,
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

// Entries that split nothing.
void HandSharer::checkSplits() {
  for (std::size_t i = 0; i < m_sharing.part.size(); ++i) {
    const std::vector<std::size_t>& points = m_named->find(m_sharing.part[i]);
    const std::string name = quantscope::describe(m_sharing.part[i]);
    if (points.empty()) {
      m_groups.notices.push_back(quoted(splitPath(i)) + " has no effect on " + name +
                                 ", which is not quantized");
      continue;
    }
    const bool alone = std::ranges::all_of(
        points, [&](std::size_t point) { return otherPointsOf(point).empty(); });
    if (!alone) continue;
    if (const std::optional<std::size_t> partner = forcedPartner(points.front())) {
      throw configurationError(
          splitPath(i),
          "splits " + name + ", which backend " + m_backend.name + " makes share one grid with " +
              describe(*partner),
          "split a point that brings a value there or takes one from there, or remove the entry");
    }
    m_groups.notices.push_back(quoted(splitPath(i)) + " has no effect: " + name +
                               " shares with nothing by itself");
  }
}

std::string HandSharer::describe(std::size_t point) const {
  return quantscope::describe(m_graph, m_groups.points[point]);
}

}  // namespace quantscope
