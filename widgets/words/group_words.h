#pragma once

#include <QString>
#include <QStringList>

#include "jobs/analysis_snapshot.h"
#include "precision/sharing/observer_placement.h"

namespace quantscope {

/// A point as the window names it: "output of conv1", "conv1 → add".
QString pointTitle(const Graph& graph, const QuantizationPoint& point);
/// A point by its names: "the output of conv1", "the edge conv1 → add".
QString pointWords(const PointName& point);

/// Where the observer of a point sits: "observer", "reuses that of the output", …
QString seatWords(ObserverSeat seat);

/// Why the members of a group share one grid, a sentence for each reason; where nothing shares with
/// its only member, that.
QStringList sharingReasons(const AnalysisSnapshot& snapshot, std::size_t group);

/// Smallest and largest number of the group's grid: "−1.2 … 3.4"; of several grids the outermost;
/// empty where it has none.
QString gridRangeText(const QuantizedModel& model, std::size_t group);

/// The source of the group's range: "min/max", "set by hand", "set by backend x86", "set by an
/// encoding", "each sample its own".
QString rangeSourceWords(const AnalysisSnapshot& snapshot, std::size_t group);

}  // namespace quantscope
