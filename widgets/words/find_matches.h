#pragma once

#include <QString>
#include <string>
#include <vector>

#include "widgets/view/selection.h"
#include "widgets/words/layer_findings.h"

namespace quantscope {

/// The target of a search match: a layer, a value without one, or a finding about either.
struct SearchMatch {
  Selected selected;
  std::string finding;  ///< its identity; empty = the layer or value itself

  friend bool operator==(const SearchMatch&, const SearchMatch&) = default;
};

/// Inputs, layers and outputs whose name, operators or scope hold `words`, whatever their case, and
/// the findings of other layers whose sentence or detector do; in execution order.
std::vector<SearchMatch> findMatches(const AnalysisSnapshot& snapshot,
                                     const LayerFindings& findings, const QString& words);

}  // namespace quantscope
