#pragma once

#include <QString>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "detectors/finding.h"

namespace quantscope {

enum class FindingGrouping { Severity, Layer, Detector };

/// Which findings to list, and in which groups.
struct FindingsQuery {
  FindingGrouping grouping = FindingGrouping::Severity;
  QString words;         ///< all of them in the sentence, the detector or the layer's name
  std::string detector;  ///< empty = all
  bool withDismissed = false;

  friend bool operator==(const FindingsQuery&, const FindingsQuery&) = default;
};

/// Identities of the findings that the user has put aside.
using Dismissed = std::set<std::string>;

struct FindingGroup {
  QString title;
  std::vector<std::size_t> findings;  ///< indices into what was grouped, in its order
};

/// Groups in the order of their first finding, severities from the worst; empty ones are left out.
std::vector<FindingGroup> groupFindings(const std::vector<Finding>& findings,
                                        const Dismissed& dismissed, const FindingsQuery& query);

/// "Critical", "Warnings", "Notes".
QString titleOf(Severity severity);
/// The detector's title; its name where it is not registered.
QString detectorTitle(const std::string& detector);

}  // namespace quantscope
