#include "widgets/findings/finding_groups.h"

#include <QCoreApplication>
#include <algorithm>

#include "detectors/detector.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString groupTitle(const Finding& finding, FindingGrouping grouping) {
  switch (grouping) {
    case FindingGrouping::Severity:
      return titleOf(finding.severity);
    case FindingGrouping::Layer:
      return text(finding.nodeName);
    case FindingGrouping::Detector:
      return detectorTitle(finding.detector);
  }
  return {};
}

bool matches(const Finding& finding, const FindingsQuery& query) {
  if (!query.detector.empty() && finding.detector != query.detector) return false;
  const QString all = text(finding.text) + u'\n' + text(finding.nodeName) + u'\n' +
                      detectorTitle(finding.detector) + u'\n' + text(finding.detector);
  const QStringList words = query.words.split(u' ', Qt::SkipEmptyParts);
  return std::ranges::all_of(
      words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

std::vector<FindingGroup> groupFindings(const std::vector<Finding>& findings,
                                        const Dismissed& dismissed, const FindingsQuery& query) {
  std::vector<FindingGroup> groups;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    if (!query.withDismissed && dismissed.contains(finding.id)) continue;
    if (!matches(finding, query)) continue;
    const QString title = groupTitle(finding, query.grouping);
    auto group = std::ranges::find(groups, title, &FindingGroup::title);
    if (group == groups.end()) group = groups.insert(groups.end(), {title, {}});
    group->findings.push_back(i);
  }
  return groups;
}

QString titleOf(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return QCoreApplication::translate("Findings", "Notes");
    case Severity::Warning:
      return QCoreApplication::translate("Findings", "Warnings");
    case Severity::Critical:
      return QCoreApplication::translate("Findings", "Critical");
  }
  return {};
}

QString detectorTitle(const std::string& detector) {
  const std::span<const Detector> all = allDetectors();
  const auto found = std::ranges::find(all, detector, &Detector::name);
  return text(found == all.end() ? std::string_view(detector) : found->title);
}

}  // namespace quantscope
