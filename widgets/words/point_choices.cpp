#include "widgets/words/point_choices.h"

#include <QCoreApplication>
#include <algorithm>

#include "precision/edits/edit_groups.h"
#include "precision/sharing/observer_placement.h"
#include "widgets/words/group_words.h"

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

ConfigEdit named(ConfigEdit edit, const QString& sentence) {
  edit.sentence = sentence.toStdString();
  return edit;
}

/// Nothing where nothing changes.
std::optional<ConfigEdit> changeFrom(const HandSharing& before, ConfigEdit edit,
                                     const QString& sentence) {
  if (std::get<HandSharing>(edit.steps.front().value) == before) return std::nullopt;
  return named(std::move(edit), sentence);
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
  const std::vector<ObserverSeat>& seats = snapshot.quantized->seats;
  for (std::size_t i = 0; i < groups.points.size(); ++i) {
    const bool observes = seats[i] == ObserverSeat::AtOutput || seats[i] == ObserverSeat::OnEdge;
    if (!observes || groups.points[i].group == from.group) continue;
    if (areCompatible(from, groups.points[i])) points.push_back(i);
  }
  return points;
}

std::optional<ConfigEdit> partingOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                                    std::size_t point) {
  const std::vector<PointName> names = namesOf(snapshot, point);
  return changeFrom(sharing,
                    splitPoint(sharing, names, sharesByItself(snapshot.quantized->groups, point)),
                    choiceText("Split %1 from its group").arg(pointWords(names.front())));
}

std::optional<ConfigEdit> unjoiningOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                                      std::size_t point) {
  const std::vector<PointName> names = namesOf(snapshot, point);
  return changeFrom(sharing, leaveMerge(sharing, names),
                    choiceText("No longer merge %1 by hand").arg(pointWords(names.front())));
}

std::optional<ConfigEdit> unpartingOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                                      std::size_t point) {
  const std::vector<PointName> names = namesOf(snapshot, point);
  return changeFrom(sharing, leaveSplit(sharing, names),
                    choiceText("No longer split %1 by hand").arg(pointWords(names.front())));
}

ConfigEdit joiningOf(const AnalysisSnapshot& snapshot, const HandSharing& sharing,
                     std::size_t point, std::size_t other) {
  const PointName a = namesOf(snapshot, point).front();
  const PointName b = namesOf(snapshot, other).front();
  return named(mergePoints(sharing, a, b),
               choiceText("Merge %1 with %2").arg(pointWords(a), pointWords(b)));
}

}  // namespace quantscope
