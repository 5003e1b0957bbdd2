#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "precision/config/point_name.h"

namespace quantscope {

/// The specification of a quantizer for one point, limited to the fields that sharing depends on.
struct PointSpec {
  std::string dtype;  ///< any name; equal names are the same type
  bool dynamic = false;

  friend auto operator<=>(const PointSpec&, const PointSpec&) = default;
};

/// A point together with what is asked for there.
struct Annotation {
  PointName point;
  std::optional<PointSpec> spec;        ///< its own; none: no observer, or that of `sharedWith`
  std::optional<PointName> sharedWith;  ///< it has no spec of its own but takes this one's
  /// True if the consumer lets its edges share implicitly with the points that read or make the
  /// same tensor.
  bool implicitSharing = true;
};

/// Parses {"nodes": {NODE: {"inputs": {PRODUCER: SPEC}, "output": SPEC, "implicit_sharing":
/// true}}}, SPEC being null (no observer), {"dtype", "dynamic"}, {"shared_with": NODE} or
/// {"shared_with": [PRODUCER, CONSUMER]}. The order is the file's: node after node, of each its
/// edges and then its output. Strict: unknown, duplicate and missing keys are
/// Error(InvalidConfiguration) with the path of the key. `source` names the text in messages.
std::vector<Annotation> parseAnnotations(std::string_view json, const std::string& source);

/// Throws InvalidConfiguration where an annotation names a node that the model does not have, or an
/// edge that is none of the model's.
void requireKnownPoints(const std::vector<Annotation>& annotations, const Graph& graph);

}  // namespace quantscope
