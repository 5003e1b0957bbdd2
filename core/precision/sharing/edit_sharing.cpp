#include "precision/sharing/edit_sharing.h"

#include <algorithm>

namespace quantscope {
namespace {

using Points = std::vector<PointName>;

bool contains(const Points& points, const PointName& point) {
  return std::ranges::find(points, point) != points.end();
}

void append(Points& points, const Points& more) {
  for (const PointName& point : more) {
    if (!contains(points, point)) points.push_back(point);
  }
}

}  // namespace

bool isJoined(const HandSharing& sharing, const PointName& point) {
  return std::ranges::any_of(sharing.join,
                             [&](const Points& points) { return contains(points, point); });
}

bool isParted(const HandSharing& sharing, const PointName& point) {
  return contains(sharing.part, point);
}

HandSharing joined(HandSharing sharing, const PointName& a, const PointName& b) {
  if (a.producer == b.producer && (isParted(sharing, a) || isParted(sharing, b))) {
    return withoutParting(withoutParting(std::move(sharing), a), b);
  }
  std::vector<Points> lists;
  Points* target = nullptr;
  lists.reserve(sharing.join.size() + 1);
  for (Points& points : sharing.join) {
    if (!contains(points, a) && !contains(points, b)) {
      lists.push_back(std::move(points));
    } else if (target == nullptr) {
      target = &lists.emplace_back(std::move(points));
    } else {
      append(*target, points);
    }
  }
  if (target == nullptr) target = &lists.emplace_back();
  append(*target, {a, b});
  sharing.join = std::move(lists);
  return sharing;
}

HandSharing withoutJoining(HandSharing sharing, const PointName& point) {
  for (Points& points : sharing.join) std::erase(points, point);
  std::erase_if(sharing.join, [](const Points& points) { return points.size() < 2; });
  return sharing;
}

HandSharing parted(HandSharing sharing, const PointName& point) {
  append(sharing.part, {point});
  return sharing;
}

HandSharing withoutParting(HandSharing sharing, const PointName& point) {
  std::erase(sharing.part, point);
  return sharing;
}

}  // namespace quantscope
