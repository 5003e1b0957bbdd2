#include "precision/sharing/observer_placement.h"

#include <set>
#include <utility>

namespace quantscope {

bool isOwnSeat(ObserverSeat seat) {
  return seat == ObserverSeat::AtOutput || seat == ObserverSeat::OnEdge;
}

std::vector<ObserverSeat> placeObservers(std::span<const ObservedPoint> points) {
  std::set<std::pair<std::size_t, std::size_t>> outputs;  // tensor, group
  for (const ObservedPoint& point : points) {
    if (point.isOutput) outputs.emplace(point.tensor, point.group);
  }
  std::set<std::pair<std::size_t, std::size_t>> edges;
  std::vector<ObserverSeat> seats;
  for (const ObservedPoint& point : points) {
    if (point.isOutput) {
      seats.push_back(ObserverSeat::AtOutput);
    } else if (outputs.contains({point.tensor, point.group})) {
      seats.push_back(ObserverSeat::ReusesOutput);
    } else {
      const bool isFirst = edges.emplace(point.tensor, point.group).second;
      seats.push_back(isFirst ? ObserverSeat::OnEdge : ObserverSeat::ReusesEdge);
    }
  }
  return seats;
}

std::vector<ObserverSeat> placeObservers(const ObserverGroups& groups) {
  std::vector<ObservedPoint> points;
  points.reserve(groups.points.size());
  for (const QuantizationPoint& point : groups.points) {
    points.push_back({point.value.at(), point.isOutput(), point.group});
  }
  return placeObservers(points);
}

}  // namespace quantscope
