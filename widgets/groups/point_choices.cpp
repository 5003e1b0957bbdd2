#include "widgets/groups/point_choices.h"

#include <QCoreApplication>
#include <algorithm>

#include "precision/sharing/edit_sharing.h"
#include "precision/sharing/observer_placement.h"
#include "widgets/groups/group_words.h"

namespace quantscope {
namespace {

QString choiceText(const char* words) {
  return QCoreApplication::translate("Groups", words);
}

bool sharesByItself(const ObserverGroups& groups, std::size_t point) {
  return std::ranges::any_of(groups.links, [&](const SharingLink& link) {
    return link.cause == SharingCause::SameValue && (link.first == point || link.second == point);
  });
}

using Edit = HandSharing (*)(HandSharing, const PointName&);

/// The sharing after an edit of each of a point's names.
HandSharing edited(const HandSharing& sharing, const std::vector<PointName>& names, Edit edit) {
  HandSharing result = sharing;
  for (const PointName& name : names) result = edit(std::move(result), name);
  return result;
}

/// Nothing where nothing changes.
std::optional<SharingChange> changeFrom(const HandSharing& before, HandSharing after,
                                        const QString& what) {
  if (after == before) return std::nullopt;
  return SharingChange{std::move(after), what};
}

bool areCompatible(const QuantizationPoint& a, const QuantizationPoint& b) {
  const bool channels = a.precision.granularity.kind == Granularity::Kind::PerChannel;
  return a.precision == b.precision && a.fixed == b.fixed && (!channels || a.value == b.value);
}

}  // namespace

std::vector<PointName> namesOf(const AnalysisSnapshot& snapshot, std::size_t point) {
  const Graph& graph = snapshot.graph();
  const QuantizationPoint& place = snapshot.quantized->groups.points[point];
  std::vector<PointName> names{pointName(graph, place)};
  if (!place.isOutput()) return names;
  for (const LayerQuantization& layer : snapshot.quantized->layers) {
    const std::vector<NodeId>& members = layer.layer.members;
    if (members.size() < 2 || members.back() != graph[place.value].producer) continue;
    for (std::size_t i = 0; i + 1 < members.size(); ++i) {
      names.push_back({graph[members[i]].name, {}});
    }
  }
  return names;
}

std::vector<std::size_t> joinablePoints(const AnalysisSnapshot& snapshot, std::size_t point) {
  const ObserverGroups& groups = snapshot.quantized->groups;
  const QuantizationPoint& from = groups.points[point];
  std::vector<std::size_t> points;
  if (from.precision.dynamic || !hasScale(from.precision.type)) return points;
  const std::vector<ObserverSeat> seats = placeObservers(groups);
  for (std::size_t i = 0; i < groups.points.size(); ++i) {
    const bool observes = seats[i] == ObserverSeat::AtOutput || seats[i] == ObserverSeat::OnEdge;
    if (!observes || groups.points[i].group == from.group) continue;
    if (areCompatible(from, groups.points[i])) points.push_back(i);
  }
  return points;
}

std::optional<SharingChange> partingOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                                       std::size_t point) {
  const std::vector<PointName> names = namesOf(snapshot, point);
  HandSharing after = edited(sharing, names, withoutJoining);
  if (sharesByItself(snapshot.quantized->groups, point))
    after = parted(std::move(after), names.front());
  return changeFrom(sharing, std::move(after),
                    choiceText("Part %1 from its group").arg(pointWords(names.front())));
}

std::optional<SharingChange> unjoiningOf(const AnalysisSnapshot& snapshot,
                                         const HandSharing& sharing, std::size_t point) {
  const std::vector<PointName> names = namesOf(snapshot, point);
  return changeFrom(sharing, edited(sharing, names, withoutJoining),
                    choiceText("No longer join %1 by hand").arg(pointWords(names.front())));
}

std::optional<SharingChange> unpartingOf(const AnalysisSnapshot& snapshot,
                                         const HandSharing& sharing, std::size_t point) {
  const std::vector<PointName> names = namesOf(snapshot, point);
  return changeFrom(sharing, edited(sharing, names, withoutParting),
                    choiceText("No longer part %1 by hand").arg(pointWords(names.front())));
}

SharingChange joiningOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                        std::size_t point, std::size_t other) {
  const PointName a = namesOf(snapshot, point).front();
  const PointName b = namesOf(snapshot, other).front();
  return {joined(sharing, a, b), choiceText("Join %1 with %2").arg(pointWords(a), pointWords(b))};
}

}  // namespace quantscope
