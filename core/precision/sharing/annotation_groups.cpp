#include "precision/sharing/annotation_groups.h"

#include <map>
#include <tuple>

#include "base/error.h"
#include "precision/sharing/observer_placement.h"
#include "precision/sharing/union_find.h"

namespace quantscope {
namespace {

constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

[[noreturn]] void fail(const PointName& point, const std::string& what, const std::string& remedy) {
  const std::string& node = point.isOutput() ? point.producer : point.consumer;
  throw Error(ErrorCode::InvalidConfiguration, what, {.file = {}, .node = node, .value = {}},
              remedy);
}

/// By annotation: the one that it names to share with, or itself if it names none.
std::vector<std::size_t> findTargets(const std::vector<Annotation>& annotations) {
  std::map<PointName, std::size_t> indices;
  for (std::size_t i = 0; i < annotations.size(); ++i) indices[annotations[i].point] = i;
  std::vector<std::size_t> targets(annotations.size());
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const std::optional<PointName>& shared = annotations[i].sharedWith;
    const auto found = indices.find(shared.value_or(annotations[i].point));
    if (found == indices.end()) {
      fail(annotations[i].point,
           describe(annotations[i].point) + " shares with " + describe(*shared) +
               ", which is not annotated",
           "annotate that one too, or share with one that is");
    }
    targets[i] = found->second;
  }
  return targets;
}

[[noreturn]] void failForCircle(const std::vector<Annotation>& annotations,
                                const std::vector<std::size_t>& targets, std::size_t start) {
  std::string circle = describe(annotations[start].point);
  std::size_t i = start;
  do {
    i = targets[i];
    circle += " with " + describe(annotations[i].point);
  } while (i != start);
  fail(annotations[start].point,
       "points share with each other in a circle and none has a dtype: " + circle,
       "give one of them a dtype of its own");
}

/// By annotation: the one at the end of its path of names, with a spec of its own or null. Each
/// point names at most one other, so this is a path; recursion over groups could loop where
/// residuals share.
std::vector<std::size_t> findOwners(const std::vector<Annotation>& annotations,
                                    const std::vector<std::size_t>& targets) {
  std::vector<std::size_t> owners(targets.size(), kUnknown);
  std::vector<std::size_t> walk(targets.size(), kUnknown);  // the walk that came by here last
  for (std::size_t start = 0; start < targets.size(); ++start) {
    std::size_t i = start;
    while (owners[i] == kUnknown && annotations[i].sharedWith) {
      if (walk[i] == start) failForCircle(annotations, targets, i);
      walk[i] = start;
      i = targets[i];
    }
    const std::size_t owner = owners[i] == kUnknown ? i : owners[i];
    owners[owner] = owner;
    for (i = start; owners[i] == kUnknown; i = targets[i]) owners[i] = owner;
  }
  return owners;
}

/// Unites points of one tensor with one precision, if at least one edge allows it: that edge
/// reaches all the others.
void shareImplicitly(const std::vector<Annotation>& annotations,
                     const std::vector<std::size_t>& owners, UnionFind& sets) {
  struct SameTensor {
    std::vector<std::size_t> points;
    bool allowed = false;
  };
  std::map<std::tuple<std::string, PointSpec>, SameTensor> tensors;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const Annotation& annotation = annotations[i];
    const std::optional<PointSpec>& spec = annotations[owners[i]].spec;
    if (!spec) continue;
    SameTensor& tensor = tensors[{annotation.point.producer, *spec}];
    tensor.points.push_back(i);
    tensor.allowed |= !annotation.point.isOutput() && annotation.implicitSharing;
  }
  for (const auto& [key, tensor] : tensors) {
    if (!tensor.allowed) continue;
    for (const std::size_t point : tensor.points) sets.unite(tensor.points.front(), point);
  }
}

void placeIn(std::vector<AnnotationGroup>& groups, const std::vector<Annotation>& annotations) {
  std::map<std::string, std::size_t> tensors;
  std::vector<std::size_t> groupOf(annotations.size(), kUnknown);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const std::size_t member : groups[group].members) groupOf[member] = group;
  }
  std::vector<ObservedPoint> points;
  std::vector<std::size_t> sources;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    if (groupOf[i] == kUnknown) continue;
    const PointName& point = annotations[i].point;
    const std::size_t tensor = tensors.try_emplace(point.producer, tensors.size()).first->second;
    points.push_back({tensor, point.isOutput(), groupOf[i]});
    sources.push_back(i);
  }
  const std::vector<ObserverSeat> seats = placeObservers(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (isOwnSeat(seats[i])) groups[points[i].group].seats.push_back(sources[i]);
  }
}

}  // namespace

std::vector<AnnotationGroup> groupAnnotations(const std::vector<Annotation>& annotations) {
  const std::vector<std::size_t> targets = findTargets(annotations);
  const std::vector<std::size_t> owners = findOwners(annotations, targets);
  UnionFind sets(annotations.size());
  for (std::size_t i = 0; i < annotations.size(); ++i) sets.unite(targets[i], i);
  shareImplicitly(annotations, owners, sets);

  std::vector<AnnotationGroup> groups;
  std::vector<std::size_t> groupOfRoot(annotations.size(), kUnknown);
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    if (!annotations[owners[i]].spec) continue;
    std::size_t& group = groupOfRoot[sets.find(i)];
    if (group == kUnknown) {
      group = groups.size();
      groups.push_back({*annotations[owners[i]].spec, {}, {}});
    }
    groups[group].members.push_back(i);
  }
  placeIn(groups, annotations);
  return groups;
}

}  // namespace quantscope
