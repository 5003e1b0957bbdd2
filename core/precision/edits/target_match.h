#pragma once

#include <optional>

#include "precision/config/name_pattern.h"
#include "precision/edits/edit_precision.h"

namespace quantscope {

/// Whether a target means a node.
class TargetMatch {
 public:
  /// `target` must outlive it. Throws InvalidConfiguration for a pattern that is none.
  explicit TargetMatch(const PrecisionTarget& target);

  bool operator()(const Node& node) const;

 private:
  const PrecisionTarget& m_target;
  std::optional<NamePattern> m_pattern;
};

}  // namespace quantscope
