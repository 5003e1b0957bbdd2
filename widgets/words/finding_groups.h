#pragma once

#include <QString>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "detectors/findings/finding.h"

namespace quantscope {

enum class FindingGrouping { Severity, Layer, Detector, None };

/// A part of the network.
struct FindingsPlace {
  QString title;           ///< of the layer or scope
  std::set<NodeId> nodes;  ///< empty = everywhere

  friend bool operator==(const FindingsPlace&, const FindingsPlace&) = default;
};

/// The findings to list, and their groups.
struct FindingsQuery {
  FindingGrouping grouping = FindingGrouping::Severity;
  QString words;         ///< all of them in the sentence, the detector or the layer's name
  std::string detector;  ///< empty = all
  std::optional<Severity> severity;  ///< none = all
  FindingsPlace place;
  bool withDismissed = false;

  /// True where it leaves out findings that are not dismissed.
  bool filters() const;
  /// The same without what filters.
  FindingsQuery unfiltered() const;

  friend bool operator==(const FindingsQuery&, const FindingsQuery&) = default;
};

/// Identities of the findings that the user has dismissed.
using Dismissed = std::set<std::string>;

struct FindingGroup {
  QString title;
  std::vector<std::size_t> findings;  ///< indices into what was grouped, in its order

  friend bool operator==(const FindingGroup&, const FindingGroup&) = default;
};

/// The findings of `order` (indices into `findings`) that are asked for. Groups come in the order
/// of their first finding, severities from the worst; empty ones are left out.
std::vector<FindingGroup> groupFindings(const std::vector<Finding>& findings,
                                        std::span<const std::size_t> order,
                                        const Dismissed& dismissed, const FindingsQuery& query);

/// True if all `words` stand in a finding's sentence, title or subject, in upper or lower case.
bool saysAll(const Finding& finding, const QStringList& words);

/// "Critical", "Warnings", "Notes".
QString titleOf(Severity severity);
/// A severity in a word: "Critical", "Warning", "Note".
QString wordOf(Severity severity);
/// The detector's title; its name where it is not registered.
QString detectorTitle(const std::string& detector);

}  // namespace quantscope
