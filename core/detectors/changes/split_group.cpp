#include "detectors/changes/split_group.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "detectors/changes/apply_changes.h"
#include "detectors/ranges/activation_grids.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {
namespace {

using PointSet = std::set<std::size_t>;

/// The points of one value among those of its group, and what unites them.
class GroupOfValue {
 public:
  GroupOfValue(const DetectorInput& input, const QuantizationPoint& point)
      : m_input(input), m_groups(input.model.groups), m_value(point.value) {
    for (const std::size_t member : m_groups.members[point.group]) {
      if (m_groups.points[member].value == m_value) m_own.insert(member);
    }
    for (const SharingLink& link : m_groups.links) {
      if (m_groups.points[link.first].group == point.group) m_links.push_back(link);
    }
  }

  /// The points of the value that a cause unites with points of other values.
  PointSet unitedBy(SharingCause cause) const {
    PointSet found;
    for (const SharingLink& link : m_links) {
      if (link.cause != cause) continue;
      const bool first = m_own.contains(link.first);
      if (first != m_own.contains(link.second)) found.insert(first ? link.first : link.second);
    }
    return found;
  }

  /// The points of the value in lists of merges by hand that name other values, too.
  PointSet mergedByHand() const {
    PointSet found = unitedBy(SharingCause::ByHand);
    if (found.empty()) return found;
    const std::vector<PointName> own = names(m_own);
    for (const std::vector<PointName>& list : m_input.configuration.precision->groups.join) {
      const bool namesOthers = std::ranges::any_of(
          list, [&](const PointName& name) { return std::ranges::find(own, name) == own.end(); });
      for (const std::size_t point : m_own) {
        const std::vector<PointName> ofPoint = names({point});
        const bool isNamed = std::ranges::find_first_of(list, ofPoint) != list.end();
        if (namesOthers && isNamed) found.insert(point);
      }
    }
    return found;
  }

  /// All that shares with a point once `split` have left by themselves, and the value's merges by
  /// hand are gone where `unmerged`.
  PointSet sharingWith(std::size_t start, const PointSet& split, bool unmerged) const {
    PointSet reached{start};
    std::vector<std::size_t> open{start};
    const auto reach = [&](std::size_t point) {
      if (reached.insert(point).second) open.push_back(point);
    };
    while (!open.empty()) {
      const std::size_t point = open.back();
      open.pop_back();
      if (m_own.contains(point) && !split.contains(point)) {
        for (const std::size_t own : m_own) {
          if (!split.contains(own)) reach(own);
        }
      }
      for (const SharingLink& link : m_links) {
        if (link.first != point && link.second != point) continue;
        const std::size_t other = link.first == point ? link.second : link.first;
        const bool ofValue = m_own.contains(point) || m_own.contains(other);
        if (link.cause == SharingCause::ByHand && unmerged && ofValue) continue;
        const bool within = m_own.contains(point) && m_own.contains(other);
        if (!within) reach(other);
      }
    }
    return reached;
  }

  bool hasWider(const PointSet& points) const {
    const double reach = reachOf(m_value);
    return std::ranges::any_of(points, [&](std::size_t point) {
      const ValueId value = m_groups.points[point].value;
      return value != m_value && reachOf(value) > reach;
    });
  }

  /// True where a layer reads the value without `split`, which are edges.
  bool isReadBeside(const PointSet& split) const {
    const auto isEdge = [&](std::size_t point) { return !m_groups.points[point].isOutput(); };
    return std::ranges::all_of(split, isEdge) && std::ranges::any_of(m_own, [&](std::size_t point) {
             return isEdge(point) && !split.contains(point);
           });
  }

  /// As the configuration may call them: each node of a pattern stands for its output.
  std::vector<PointName> names(const PointSet& points) const {
    std::vector<PointName> found;
    for (const std::size_t point : points) {
      found.push_back(pointName(m_input.graph(), m_groups.points[point]));
      const LayerQuantization* layer =
          m_groups.points[point].isOutput() ? m_input.index.layerComputing(m_value) : nullptr;
      if (layer == nullptr) continue;
      for (const NodeId member : layer->layer.members) {
        const PointName name{m_input.graph()[member].name, {}};
        if (name != found.back()) found.push_back(name);
      }
    }
    return found;
  }

 private:
  double reachOf(ValueId value) const {
    const Observation* seen = observationOf(m_input, value);
    return seen == nullptr ? 0 : seen->absmax();
  }

  const DetectorInput& m_input;
  const ObserverGroups& m_groups;
  ValueId m_value;
  PointSet m_own;
  std::vector<SharingLink> m_links;
};

// Contradictions between groups show only when the groups are built.
bool isPossible(const DetectorInput& input, const ConfigChange& change) {
  try {
    const Configuration changed =
        editOf(input.configuration, input.graph(), {&change, 1}, {}).apply(input.configuration);
    const ResolvedConfig resolved(input.graph(), *changed.precision);
    findObserverGroups({input.engine, input.backend, resolved});
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidConfiguration) throw;
    return false;
  }
}

}  // namespace

std::optional<Suggestion> splitGroup(const DetectorInput& input, const QuantizationPoint& point,
                                     const std::string& what) {
  const GroupOfValue group(input, point);
  const auto place = static_cast<std::size_t>(&point - input.model.groups.points.data());
  ConfigChange change;
  if (const PointSet merged = group.mergedByHand(); !merged.empty()) {
    if (!group.hasWider(group.sharingWith(place, {}, true))) change.unmerge = group.names(merged);
  }
  if (change.unmerge.empty()) {
    const PointSet forced = group.unitedBy(SharingCause::Backend);
    const bool apart = !forced.empty() && !forced.contains(place) && group.isReadBeside(forced) &&
                       !group.hasWider(group.sharingWith(place, forced, false));
    if (apart) change.split = group.names(forced);
  }
  const std::vector<PointName>& points = change.unmerge.empty() ? change.split : change.unmerge;
  if (points.empty() || !isPossible(input, change)) return std::nullopt;
  std::string text =
      (change.unmerge.empty() ? "Split off " : "No longer merge ") + describe(points.front());
  if (change.split.size() > 1) text += " and " + std::to_string(change.split.size() - 1) + " more";
  return Suggestion{text + ", so that " + what + " gets a grid of its own.", {change}, {}};
}

}  // namespace quantscope
