#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "precision/sharing/observer_groups.h"

namespace quantscope {

/// A point with an observer, limited to the fields that placement depends on.
struct ObservedPoint {
  std::size_t tensor = 0;  ///< any number; equal numbers are the same tensor
  bool isOutput = false;   ///< else an edge into a consumer
  std::size_t group = 0;   ///< points of a group share one observer
};

/// Where the observer of a point sits.
enum class ObserverSeat {
  AtOutput,      ///< behind the producer, before all consumers
  OnEdge,        ///< on this edge, behind the producer's where it has one
  ReusesOutput,  ///< this edge reads what the producer's observer has seen
  ReusesEdge,    ///< this edge reads what the observer on another consumer's edge has seen
};

/// True where an observer is put in, false where one is reused.
bool isOwnSeat(ObserverSeat seat);

/// By point: its seat. An edge gets an observer of its own only if its group is not the producer's,
/// and only the first such edge of a group: later ones read behind the same one. Observers are
/// inserted in the order of the points.
std::vector<ObserverSeat> placeObservers(std::span<const ObservedPoint> points);
/// The same of a quantized graph.
std::vector<ObserverSeat> placeObservers(const ObserverGroups& groups);

}  // namespace quantscope
