#include "widgets/graph/graph_walk.h"

#include <cmath>
#include <limits>

namespace quantscope {
namespace {

constexpr double kReach = 1500;         // scene pixels, looked at to the side
constexpr double kAlongWeighsMore = 4;  // boxes straight ahead come before diagonal ones

using Edges = std::span<const std::uint32_t>;

std::optional<std::size_t> nearestEnd(const GraphScene& scene, std::size_t from, Edges edges,
                                      std::size_t DrawnEdge::*end) {
  const QPointF here = scene.boxes()[from].rect.center();
  std::optional<std::size_t> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t edge : edges) {
    const std::size_t box = scene.edges()[edge].*end;
    const double distance = (scene.boxes()[box].rect.center() - here).manhattanLength();
    if (distance >= least) continue;
    least = distance;
    nearest = box;
  }
  return nearest;
}

std::optional<std::size_t> beside(const GraphScene& scene, std::size_t from, bool vertical,
                                  bool forward) {
  const QRectF here = scene.boxes()[from].rect;
  const QRectF area =
      vertical ? here.adjusted(0, -kReach, 0, kReach) : here.adjusted(-kReach, 0, kReach, 0);
  std::optional<std::size_t> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t box : scene.boxesIn(area)) {
    const QPointF way = scene.boxes()[box].rect.center() - here.center();
    const double aside = (vertical ? way.y() : way.x()) * (forward ? 1 : -1);
    const double askew = std::abs(vertical ? way.x() : way.y());
    const double distance = aside + kAlongWeighsMore * askew;
    if (box == from || aside <= askew || distance >= least) continue;
    least = distance;
    nearest = box;
  }
  return nearest;
}

}  // namespace

std::optional<std::size_t> walk(const GraphScene& scene, std::size_t from,
                                WalkDirection direction) {
  const bool vertical = direction == WalkDirection::Up || direction == WalkDirection::Down;
  const bool forward = direction == WalkDirection::Down || direction == WalkDirection::Right;
  if (vertical == scene.leftToRight()) return beside(scene, from, vertical, forward);
  return forward ? nearestEnd(scene, from, scene.edgesFrom(from), &DrawnEdge::to)
                 : nearestEnd(scene, from, scene.edgesTo(from), &DrawnEdge::from);
}

}  // namespace quantscope
