#include "precision/edits/edit_groups.h"

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

ConfigEdit setGroups(HandSharing groups, std::string sentence) {
  return {std::move(sentence), {{.place = ConfigStep::Entry::Groups, .value = std::move(groups)}}};
}

// The list that one of them stands in becomes that of both, with all that either was merged with.
void merge(HandSharing& groups, const PointName& a, const PointName& b) {
  std::vector<Points> lists;
  Points* target = nullptr;
  lists.reserve(groups.join.size() + 1);
  for (Points& points : groups.join) {
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
  groups.join = std::move(lists);
}

void unmerge(HandSharing& groups, const Points& points) {
  for (Points& list : groups.join) {
    std::erase_if(list, [&](const PointName& point) { return contains(points, point); });
  }
  std::erase_if(groups.join, [](const Points& list) { return list.size() < 2; });
}

}  // namespace

bool isSplit(const HandSharing& groups, const PointName& point) {
  return contains(groups.part, point);
}

ConfigEdit mergePoints(const HandSharing& groups, const PointName& a, const PointName& b) {
  HandSharing after = groups;
  if (a.producer == b.producer && (isSplit(groups, a) || isSplit(groups, b))) {
    std::erase(after.part, a);
    std::erase(after.part, b);
  } else {
    merge(after, a, b);
  }
  return setGroups(std::move(after), "merge " + describe(a) + " with " + describe(b));
}

ConfigEdit leaveMerge(const HandSharing& groups, const std::vector<PointName>& points) {
  HandSharing after = groups;
  unmerge(after, points);
  return setGroups(std::move(after), "no longer merge " + describe(points.at(0)));
}

ConfigEdit splitPoint(const HandSharing& groups, const std::vector<PointName>& names,
                      bool sharesByItself) {
  HandSharing after = groups;
  unmerge(after, names);
  if (sharesByItself) append(after.part, {names.at(0)});
  return setGroups(std::move(after), "split off " + describe(names.at(0)));
}

ConfigEdit leaveSplit(const HandSharing& groups, const std::vector<PointName>& points) {
  HandSharing after = groups;
  std::erase_if(after.part, [&](const PointName& point) { return contains(points, point); });
  return setGroups(std::move(after), "no longer split off " + describe(points.at(0)));
}

}  // namespace quantscope
