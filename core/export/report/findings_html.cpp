#include "export/report/findings_html.h"

#include <algorithm>
#include <map>

#include "base/number_text.h"
#include "detectors/changes/accept_all.h"
#include "export/findings_text.h"
#include "export/report/html_text.h"
#include "export/worst_layers.h"

namespace quantscope {
namespace {

// Limit of the findings of one severity on the page; report.json has all.
constexpr std::size_t kMost = 150;
// With more notes than this, the notes are folded.
constexpr std::size_t kMaxNotesOpen = 8;
constexpr std::size_t kSentence = 600;  // bytes

struct SeverityTitle {
  Severity severity;
  const char* title;
};
constexpr SeverityTitle kSeverities[] = {
    {Severity::Critical, "Critical"}, {Severity::Warning, "Warnings"}, {Severity::Info, "Notes"}};

std::string paragraph(const char* kind, const std::string& html) {
  return std::string("<p class=\"") + kind + "\">" + html + "</p>";
}

std::string detectorTitle(const std::string& name) {
  const Detector* detector = findDetector(name);
  return escapeHtml(detector != nullptr ? detector->title : std::string_view(name));
}

class FindingsPage {
 public:
  FindingsPage(const AnalysisResult& result, std::size_t maxName)
      : m_result(result), m_maxName(maxName) {
    for (std::size_t i = 0; i < result.layers.size(); ++i) m_layers[result.layers[i].node] = i;
  }

  std::string group(const SeverityTitle& severity, const std::vector<const Finding*>& findings) {
    const bool open = severity.severity != Severity::Info || findings.size() <= kMaxNotesOpen;
    std::string html = std::string("<details class=\"findings panel severity-") +
                       name(severity.severity) + "\"" + (open ? " open" : "") + "><summary><h3>" +
                       severity.title + " <span class=\"quiet\">" + grouped(findings.size()) +
                       "</span></h3></summary><ol>";
    for (std::size_t i = 0; i < std::min(findings.size(), kMost); ++i) html += row(*findings[i]);
    html += "</ol>";
    if (findings.size() > kMost) {
      html +=
          paragraph("quiet", "and " + grouped(findings.size() - kMost) + " more in report.json");
    }
    return html + "</details>\n";
  }

 private:
  std::string row(const Finding& finding) const {
    std::string html = "<li>" + paragraph("sentence", cut(finding.text));
    html += paragraph("quiet", place(finding) + " · " + detectorTitle(finding.detector) + ": " +
                                   shortNumber(finding.statistic) + ", threshold " +
                                   shortNumber(finding.threshold) + " · confidence " +
                                   percent(finding.confidence));
    if (!finding.why.empty()) html += paragraph("why", cut(finding.why));
    if (finding.suggestion) html += paragraph("remedy", remedy(*finding.suggestion));
    return html + "</li>";
  }

  std::string cut(const std::string& sentence) const {
    return escapeHtml(shortened(sentence, kSentence));
  }

  std::string place(const Finding& finding) const {
    const auto layer = m_layers.find(finding.node);
    if (layer != m_layers.end()) return layerLink(m_result, layer->second, m_maxName);
    return escapeHtml(finding.nodeName.empty() ? "the whole network"
                                               : shortened(finding.nodeName, m_maxName));
  }

  std::string remedy(const Suggestion& suggestion) const {
    std::string html = cut(suggestion.text);
    if (suggestion.gainDb) {
      html += std::string(" <span class=\"gain ") +
              (*suggestion.gainDb >= kNoLossDb && !suggestion.gainEstimated ? "up" : "none") +
              "\">" + escapeHtml(gainText(suggestion)) + "</span>";
    }
    return html;
  }

  const AnalysisResult& m_result;
  std::size_t m_maxName;
  std::map<NodeId, std::size_t> m_layers;
};

// The counts in the detectors' order, without detectors that have no finding.
std::string detectorCounts(const std::vector<Finding>& findings) {
  std::string html = "<ul class=\"counts\">";
  for (const Detector& detector : allDetectors()) {
    const auto count =
        static_cast<std::size_t>(std::ranges::count(findings, detector.name, &Finding::detector));
    if (count == 0) continue;
    html += "<li title=\"" + escapeHtml(detector.definition) + "\">" + escapeHtml(detector.title) +
            " <b>" + grouped(count) + "</b></li>";
  }
  return html + "</ul>";
}

}  // namespace

std::string findingsHtml(const DetectorReport& report, const AnalysisResult& result,
                         std::size_t maxName) {
  std::string html = "<div class=\"heading\"><h2>Findings</h2>";
  if (report.findings.empty()) {
    return html + "</div><p class=\"panel nothing\">No findings: no detector saw a fault.</p>";
  }
  html += paragraph("quiet", findingsCount(report.findings)) + "</div>";
  html += detectorCounts(report.findings);
  FindingsPage page(result, maxName);
  for (const SeverityTitle& severity : kSeverities) {
    std::vector<const Finding*> findings;
    for (const Finding& finding : report.findings) {
      if (finding.severity == severity.severity) findings.push_back(&finding);
    }
    if (!findings.empty()) html += page.group(severity, findings);
  }
  return html;
}

}  // namespace quantscope
