#include "layout/edge_routes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace quantscope {
namespace {

constexpr double kLaneGap = 12;

// A run beside the boxes, from the first to the last row that it passes.
struct Lane {
  double home = 0;  // where its edges come from
  std::size_t firstRow = 0;
  std::size_t lastRow = 0;
  double x = 0;
};

struct Lanes {
  std::vector<Lane> lanes;
  std::vector<std::size_t> laneOfEdge;
};

void append(std::vector<LayoutPoint>& route, LayoutPoint point) {
  const std::size_t n = route.size();
  if (n >= 1 && route[n - 1].x == point.x && route[n - 1].y == point.y) return;
  if (n >= 2 && route[n - 1].x == point.x && route[n - 2].x == point.x) {
    route[n - 1] = point;
  } else {
    route.push_back(point);
  }
}

// Edges from one place reach from the row below it to the row above their farthest target.
Lanes lanesFor(const PlacedBoxes& placed, std::span<const LayoutEdge> edges) {
  Lanes result;
  std::map<std::pair<std::size_t, double>, std::size_t> laneOfPlace;
  for (const LayoutEdge& edge : edges) {
    const std::size_t lastRow = placed.layers[edge.to] - 1;
    const auto [known, added] =
        laneOfPlace.try_emplace({edge.from, edge.leave}, result.lanes.size());
    if (added) {
      result.lanes.push_back({.home = placed.centres[edge.from].x + edge.leave,
                              .firstRow = placed.layers[edge.from] + 1,
                              .lastRow = lastRow});
    }
    Lane& lane = result.lanes[known->second];
    lane.lastRow = std::max(lane.lastRow, lastRow);
    result.laneOfEdge.push_back(known->second);
  }
  return result;
}

void place(Lane& lane, PlacedBoxes& placed) {
  const std::span<Row> passed(&placed.rows[lane.firstRow], lane.lastRow - lane.firstRow + 1);
  const double left = std::ranges::min_element(passed, {}, &Row::left)->left - kLaneGap;
  const double right = std::ranges::max_element(passed, {}, &Row::right)->right + kLaneGap;
  lane.x = lane.home - left < right - lane.home ? left : right;
  for (Row& row : passed) {
    row.left = std::min(row.left, lane.x);
    row.right = std::max(row.right, lane.x);
  }
}

}  // namespace

std::vector<LayoutPoint> routeThrough(const PlacedBoxes& placed, const LayoutEdge& edge,
                                      std::span<const Bend> bends) {
  const LayoutPoint from{placed.centres[edge.from].x + edge.leave, placed.centres[edge.from].y};
  const LayoutPoint to{placed.centres[edge.to].x + edge.arrive, placed.centres[edge.to].y};
  const double start = from.y + placed.boxes[edge.from].height / 2;
  const double end = to.y - placed.boxes[edge.to].height / 2;
  std::vector<LayoutPoint> route;
  append(route, {from.x, start});
  // The border of a row's tallest box is that of the row but for rounding.
  append(route, {from.x, std::max(start, placed.rows[placed.layers[edge.from]].bottom)});
  for (const Bend& bend : bends) {
    append(route, {bend.x, placed.rows[bend.layer].top});
    append(route, {bend.x, placed.rows[bend.layer].bottom});
  }
  append(route, {to.x, std::min(end, placed.rows[placed.layers[edge.to]].top)});
  append(route, {to.x, end});
  return route;
}

std::vector<std::vector<LayoutPoint>> routeBeside(PlacedBoxes& placed,
                                                  std::span<const LayoutEdge> edges) {
  Lanes found = lanesFor(placed, edges);
  std::vector<Lane*> byLength;
  for (Lane& lane : found.lanes) byLength.push_back(&lane);
  std::ranges::stable_sort(byLength, {},
                           [](const Lane* lane) { return lane->lastRow - lane->firstRow; });
  for (Lane* lane : byLength) place(*lane, placed);

  std::vector<std::vector<LayoutPoint>> routes;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double x = found.lanes[found.laneOfEdge[i]].x;
    const Bend bends[] = {{placed.layers[edges[i].from] + 1, x},
                          {placed.layers[edges[i].to] - 1, x}};
    routes.push_back(routeThrough(placed, edges[i], bends));
  }
  return routes;
}

}  // namespace quantscope
