#include "layout/edge_routes.h"

#include <algorithm>

namespace quantscope {
namespace {

constexpr double kLaneGap = 12;

// A run beside the boxes, from the first to the last row that it passes.
struct Lane {
  std::size_t from = 0;
  std::size_t firstRow = 0;
  std::size_t lastRow = 0;
  double x = 0;
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

// Edges of one box reach from the row below it to the row above its farthest target.
std::vector<Lane> lanesFor(const PlacedBoxes& placed, std::span<const LayoutEdge> edges) {
  std::vector<Lane> lanes;
  std::vector<std::size_t> laneOfBox(placed.boxes.size(), edges.size());
  for (const LayoutEdge& edge : edges) {
    const std::size_t lastRow = placed.layers[edge.to] - 1;
    std::size_t& lane = laneOfBox[edge.from];
    if (lane == edges.size()) {
      lane = lanes.size();
      lanes.push_back(
          {.from = edge.from, .firstRow = placed.layers[edge.from] + 1, .lastRow = lastRow});
    } else {
      lanes[lane].lastRow = std::max(lanes[lane].lastRow, lastRow);
    }
  }
  return lanes;
}

void place(Lane& lane, PlacedBoxes& placed) {
  const std::span<Row> passed(&placed.rows[lane.firstRow], lane.lastRow - lane.firstRow + 1);
  const double left = std::ranges::min_element(passed, {}, &Row::left)->left - kLaneGap;
  const double right = std::ranges::max_element(passed, {}, &Row::right)->right + kLaneGap;
  const double home = placed.centres[lane.from].x;
  lane.x = home - left < right - home ? left : right;
  for (Row& row : passed) {
    row.left = std::min(row.left, lane.x);
    row.right = std::max(row.right, lane.x);
  }
}

}  // namespace

std::vector<LayoutPoint> routeThrough(const PlacedBoxes& placed, const LayoutEdge& edge,
                                      std::span<const Bend> bends) {
  const LayoutPoint from = placed.centres[edge.from];
  const LayoutPoint to = placed.centres[edge.to];
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
  std::vector<Lane> lanes = lanesFor(placed, edges);
  std::ranges::stable_sort(lanes, {},
                           [](const Lane& lane) { return lane.lastRow - lane.firstRow; });
  std::vector<double> laneX(placed.boxes.size());
  for (Lane& lane : lanes) {
    place(lane, placed);
    laneX[lane.from] = lane.x;
  }

  std::vector<std::vector<LayoutPoint>> routes;
  for (const LayoutEdge& edge : edges) {
    const double x = laneX[edge.from];
    const Bend bends[] = {{placed.layers[edge.from] + 1, x}, {placed.layers[edge.to] - 1, x}};
    routes.push_back(routeThrough(placed, edge, bends));
  }
  return routes;
}

}  // namespace quantscope
