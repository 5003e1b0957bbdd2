#pragma once

#include <cstddef>
#include <vector>

#include "precision/sharing/annotations.h"

namespace quantscope {

/// Points that share one observer.
struct AnnotationGroup {
  PointSpec spec;                    ///< of the point that its first member's words lead to
  std::vector<std::size_t> members;  ///< indices into the annotations, ascending
  std::vector<std::size_t> seats;    ///< the members where its observer is put in, ascending
};

/// Unites annotated points into groups, in the order of their first members (the rule of
/// PyTorch 2's `prepare`):
/// - a point that says "shared with" belongs to the point that it names;
/// - an edge whose consumer allows implicit sharing belongs to the other annotated edges out of the
///   same producer and to that producer's annotated output, because they are the same tensor, where
///   dtype and dynamic-ness agree; it reaches edges whose own consumer does not allow it;
/// - both are transitive;
/// - a point without an observer, by its own null or by that of the point it shares with, is in no
///   group.
/// Throws InvalidConfiguration, naming the points, where one shares with a point that is not
/// annotated, or where points only share with each other in a circle.
std::vector<AnnotationGroup> groupAnnotations(const std::vector<Annotation>& annotations);

}  // namespace quantscope
