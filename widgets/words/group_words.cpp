#include "widgets/words/group_words.h"

#include "precision/parameters/range_sources.h"
#include "widgets/look/text.h"
#include "widgets/look/translate.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

constexpr qsizetype kMostNames = 4;

// "a, b and c"; of many the first ones.
QString listed(const QStringList& names) {
  if (names.size() < 2) return names.join(QString());
  if (names.size() > kMostNames) {
    return tr("%1 and %2 more")
        .arg(names.mid(0, kMostNames).join(QStringLiteral(", ")))
        .arg(names.size() - kMostNames);
  }
  return tr("%1 and %2")
      .arg(names.mid(0, names.size() - 1).join(QStringLiteral(", ")), names.last());
}

// The node that the backend has one grid for: it reads one end of the link, or makes the other.
NodeId sharingNode(const Graph& graph, const ObserverGroups& groups, const SharingLink& link) {
  const QuantizationPoint& first = groups.points[link.first];
  const QuantizationPoint& second = groups.points[link.second];
  if (!first.isOutput()) return first.consumer;
  return second.isOutput() ? graph[second.value].producer : second.consumer;
}

struct Reasons {
  bool sameValue = false;
  QStringList operators;  // of the backend
  QStringList joined;
};

void add(QStringList& names, const QString& name) {
  if (!names.contains(name)) names << name;
}

Reasons reasonsOf(const Graph& graph, const ObserverGroups& groups, std::size_t group) {
  Reasons reasons;
  for (const SharingLink& link : groups.links) {
    if (groups.points[link.first].group != group) continue;
    switch (link.cause) {
      case SharingCause::SameValue:
        reasons.sameValue = true;
        break;
      case SharingCause::Backend:
        add(reasons.operators, text(graph[sharingNode(graph, groups, link)].op));
        break;
      case SharingCause::ByHand:
        for (const std::size_t point : {link.first, link.second}) {
          add(reasons.joined, pointWords(pointName(graph, groups.points[point])));
        }
        break;
    }
  }
  return reasons;
}

}  // namespace

QString pointTitle(const Graph& graph, const QuantizationPoint& point) {
  const PointName name = pointName(graph, point);
  if (point.isOutput()) return tr("output of %1").arg(text(name.producer));
  return tr("%1 → %2").arg(text(name.producer), text(name.consumer));
}

QString pointWords(const PointName& point) {
  if (point.isOutput()) return tr("the output of %1").arg(text(point.producer));
  return tr("the edge %1 → %2").arg(text(point.producer), text(point.consumer));
}

QString seatWords(ObserverSeat seat) {
  switch (seat) {
    case ObserverSeat::AtOutput:
      return tr("observer");
    case ObserverSeat::OnEdge:
      return tr("observer on the edge");
    case ObserverSeat::ReusesOutput:
      return tr("reuses the output's");
    case ObserverSeat::ReusesEdge:
      return tr("reuses another edge's");
  }
  return {};
}

QStringList sharingReasons(const AnalysisSnapshot& snapshot, std::size_t group) {
  const ObserverGroups& groups = snapshot.quantized->groups;
  if (groups.members[group].size() == 1) return {tr("Shares its observer with nothing.")};
  const Reasons reasons = reasonsOf(snapshot.graph(), groups, group);
  QStringList sentences;
  if (reasons.sameValue) {
    sentences << tr(
        "An output and the edges that read it are one value. As all of them ask for the same "
        "precision, it is rounded once, on one grid.");
  }
  if (!reasons.operators.isEmpty()) {
    sentences << tr("Backend %1 has one grid for all that goes through %2.")
                     .arg(text(snapshot.request.config.precision->backend),
                          listed(reasons.operators));
  }
  if (!reasons.joined.isEmpty()) {
    sentences << tr("Merged by hand: %1.").arg(listed(reasons.joined));
  }
  return sentences;
}

QString gridRangeText(const QuantizedModel& model, std::size_t group) {
  const std::optional<QuantParams>& params = model.groupParams[group];
  if (!params || params->grids.empty() || !hasScale(params->type)) return {};
  Range range;
  for (const Grid& grid : params->grids) range.include(params->representable(grid));
  return tr("%1 … %2").arg(shortText(range.low), shortText(range.high));
}

QString rangeSourceWords(const AnalysisSnapshot& snapshot, std::size_t group) {
  const Configuration& config = snapshot.request.config;
  const ObserverGroups& groups = snapshot.quantized->groups;
  switch (RangeSources(snapshot.graph(), config, *snapshot.quantized).ofGroup(group)) {
    case RangeSource::None:
      return tr("none: the type has no scale");
    case RangeSource::Sample:
      return tr("each sample its own");
    case RangeSource::Hand:
      return tr("set by hand");
    case RangeSource::Backend:
      return tr("set by backend %1").arg(text(config.precision->backend));
    case RangeSource::Encoding:
      return tr("set by an encoding");
    case RangeSource::Magnitude:
      return tr("mean magnitude");
    case RangeSource::Observer:
      break;
  }
  return observerWords(groups.points[groups.members[group].front()].precision.observer);
}

}  // namespace quantscope
