#include "detectors/findings/merge_findings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "detectors/findings/finding_kinds.h"
#include "detectors/findings/group_causes.h"

namespace quantscope {
namespace {

// The excess over the threshold: of two findings of one detector for a grid the worse one is kept.
double excessOf(const Finding& finding) {
  const bool comparable = finding.threshold > 0 && finding.statistic > 0;
  return comparable ? std::abs(std::log(finding.statistic / finding.threshold)) : 0;
}

bool saysMore(const Finding& finding, const Finding& kept) {
  const auto rank = [](const Finding& each) {
    const int specific = kindOf(each)->specific;
    return std::tuple(!each.onlyIfItHelps, specific > 0, each.severity, specific);
  };
  if (rank(finding) != rank(kept)) return rank(finding) > rank(kept);
  return finding.detector == kept.detector && excessOf(finding) > excessOf(kept);
}

// Layers whose findings say the same become members of the one that is left.
void absorb(Finding& kept, const Finding& other) {
  if (other.onlyIfItHelps) return;
  if (kept.detector == other.detector) {
    absorbFinding(kept, other);
  } else {
    kept.severity = std::max(kept.severity, other.severity);
    addMember(kept, other.node);
    for (const NodeId member : other.members) addMember(kept, member);
  }
}

bool isAbout(const Finding& finding, NodeId node) {
  return finding.node == node || std::ranges::find(finding.members, node) != finding.members.end();
}

bool hasChanges(const Finding& finding) {
  return finding.suggestion && !finding.suggestion->changes.empty();
}

// A finding that names the part says more than that it is the largest, but for how large it is.
void explain(Finding& finding, const Finding& dominant) {
  finding.severity = std::max(finding.severity, dominant.severity);
  finding.why += (finding.why.empty() ? "" : " ") + dominant.text;
}

bool isDominant(const Finding& finding) {
  return finding.detector == "dominant_part";
}

// Leaves of what dominates an error only what nothing else names, or knows a way out of.
void dropNamed(const DetectorInput& input, std::vector<Finding>& findings) {
  std::vector<bool> named(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Finding& dominant = findings[i];
    if (!isDominant(dominant)) continue;
    const std::vector<LayerPart> largest = partsNamed(input, dominant, dominant.node);
    if (largest.empty()) continue;  // no budget
    const LayerPart part = largest.front();
    const auto naming = std::ranges::find_if(findings, [&](const Finding& each) {
      if (isDominant(each) || each.onlyIfItHelps || !hasChanges(each)) return false;
      if (!isAbout(each, dominant.node)) return false;
      const std::vector<LayerPart> parts = partsNamed(input, each, dominant.node);
      return std::ranges::find(parts, part) != parts.end();
    });
    if (naming == findings.end()) continue;
    explain(*naming, dominant);
    named[i] = true;
  }
  std::size_t place = 0;
  std::erase_if(findings, [&](const Finding&) { return named[place++]; });
}

}  // namespace

void mergeFindings(const DetectorInput& input, std::vector<Finding>& findings) {
  std::vector<Finding> merged;
  std::map<Subject, std::size_t> places;
  for (Finding& finding : findings) {
    const std::optional<Subject> subject = subjectOf(input, finding);
    if (!subject) {
      merged.push_back(std::move(finding));
      continue;
    }
    const auto [place, isNew] = places.try_emplace(*subject, merged.size());
    if (isNew) {
      merged.push_back(std::move(finding));
      continue;
    }
    Finding& kept = merged[place->second];
    if (saysMore(finding, kept)) std::swap(kept, finding);
    absorb(kept, finding);
  }
  findings = std::move(merged);
  dropNamed(input, findings);
}

}  // namespace quantscope
