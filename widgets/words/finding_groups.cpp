#include "widgets/words/finding_groups.h"

#include <QCoreApplication>
#include <QHash>
#include <algorithm>

#include "detectors/detector.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString groupText(const char* words) {
  return QCoreApplication::translate("Findings", words);
}

QString groupTitle(const Finding& finding, FindingGrouping grouping) {
  switch (grouping) {
    case FindingGrouping::Severity:
      return titleOf(finding.severity);
    case FindingGrouping::Layer:
      return text(finding.nodeName);
    case FindingGrouping::Detector:
      return detectorTitle(finding.detector);
    case FindingGrouping::None:
      return groupText("All");
  }
  return {};
}

bool matches(const Finding& finding, const FindingsQuery& query) {
  if (!query.detector.empty() && finding.detector != query.detector) return false;
  if (query.severity && finding.severity != *query.severity) return false;
  return query.place.nodes.empty() || query.place.nodes.contains(finding.node);
}

}  // namespace

bool FindingsQuery::filters() const {
  return !words.isEmpty() || !detector.empty() || severity || !place.nodes.empty();
}

FindingsQuery FindingsQuery::unfiltered() const {
  FindingsQuery query;
  query.grouping = grouping;
  query.withDismissed = withDismissed;
  return query;
}

std::vector<FindingGroup> groupFindings(const std::vector<Finding>& findings,
                                        std::span<const std::size_t> order,
                                        const Dismissed& dismissed, const FindingsQuery& query) {
  std::vector<FindingGroup> groups;
  QHash<QString, std::size_t> places;
  const QStringList words = query.words.split(u' ', Qt::SkipEmptyParts);
  for (const std::size_t i : order) {
    const Finding& finding = findings[i];
    if (!query.withDismissed && dismissed.contains(finding.id)) continue;
    if (!matches(finding, query) || !saysAll(finding, words)) continue;
    const QString title = groupTitle(finding, query.grouping);
    const auto place = places.constFind(title);
    const std::size_t group = place == places.constEnd() ? groups.size() : *place;
    if (group == groups.size()) {
      places.insert(title, group);
      groups.push_back({title, {}});
    }
    groups[group].findings.push_back(i);
  }
  if (query.grouping == FindingGrouping::Severity) {
    std::ranges::stable_sort(groups, std::greater{}, [&](const FindingGroup& group) {
      return findings[group.findings.front()].severity;
    });
  }
  return groups;
}

bool saysAll(const Finding& finding, const QStringList& words) {
  if (words.isEmpty()) return true;
  const QString all = text(finding.text) + u'\n' + text(finding.nodeName) + u'\n' +
                      detectorTitle(finding.detector) + u'\n' + text(finding.detector);
  return std::ranges::all_of(
      words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

QString titleOf(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return groupText("Notes");
    case Severity::Warning:
      return groupText("Warnings");
    case Severity::Critical:
      return groupText("Critical");
  }
  return {};
}

QString wordOf(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return groupText("Note");
    case Severity::Warning:
      return groupText("Warning");
    case Severity::Critical:
      return groupText("Critical");
  }
  return {};
}

QString detectorTitle(const std::string& detector) {
  const Detector* known = findDetector(detector);
  return text(known == nullptr ? std::string_view(detector) : known->title);
}

}  // namespace quantscope
