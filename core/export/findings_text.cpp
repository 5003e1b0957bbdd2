#include "export/findings_text.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "detectors/changes/accept_all.h"
#include "export/json/findings_json.h"

namespace quantscope {
namespace {

constexpr std::size_t kMaxNamedChannels = 8;

std::string channelText(const std::vector<std::int64_t>& channels) {
  std::string text;
  for (std::size_t i = 0; i < std::min(channels.size(), kMaxNamedChannels); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(channels[i]);
  }
  if (channels.size() > kMaxNamedChannels) {
    text += " and " + std::to_string(channels.size() - kMaxNamedChannels) + " more";
  }
  return text;
}

// "+9.1 dB", "0.0 dB"
std::string signedDb(double gainDb) {
  if (std::abs(gainDb) < kNoLossDb) return "0.0 dB";
  return gainDb < 0 ? "−" + decibelText(-gainDb) : "+" + decibelText(gainDb);
}

// Where the network has several outputs.
std::string outputGainsText(const Suggestion& suggestion) {
  std::string text;
  for (const OutputGain& gain : suggestion.outputGains) {
    text += (text.empty() ? "  gains: " : ", ") + gain.output + " " + signedDb(gain.gainDb);
  }
  return text.empty() ? text : text + "\n";
}

std::string suggestionText(const Suggestion& suggestion) {
  std::string text = "  do: " + suggestion.text;
  if (suggestion.gainDb) text += " (" + gainText(suggestion) + ")";
  return text + "\n" + outputGainsText(suggestion);
}

std::string findingText(const Finding& finding) {
  std::string text =
      std::string(name(finding.severity)) + " " + finding.id + "\n  " + finding.text + "\n";
  text += "  why: " + finding.why + "\n  figure: " + shortNumber(finding.statistic) +
          " against a threshold of " + shortNumber(finding.threshold) + ", confidence " +
          percent(finding.confidence) + "\n";
  if (!finding.channels.empty()) text += "  channels: " + channelText(finding.channels) + "\n";
  if (finding.suggestion) text += suggestionText(*finding.suggestion);
  return text;
}

}  // namespace

std::string estimateText(double gainDb) {
  const std::string number = fixedNumber(std::abs(gainDb), 1);
  const char* const sign = number == "0.0" ? "" : gainDb < 0 ? "−" : "+";
  return std::string("≈ ") + sign + number;
}

std::string gainText(const Suggestion& suggestion) {
  const double gainDb = suggestion.gainDb.value_or(0);
  const std::string output =
      suggestion.outputGains.empty() ? "at the output" : "at the worst output";
  std::string text;
  if (suggestion.gainEstimated) {
    text = estimateText(gainDb) + " dB " + output + ", estimated by gradients";
  } else if (std::isinf(gainDb)) {
    text = gainDb > 0 ? "makes the output exact" : "spoils the output";
  } else {
    text = signedDb(gainDb) + " " + output + " when simulated";
  }
  if (suggestion.bytes && *suggestion.bytes != 0) {
    text += std::string(", ") + (*suggestion.bytes < 0 ? "−" : "+") +
            byteSize(std::abs(*suggestion.bytes));
  }
  return text;
}

std::string findingsCount(const std::vector<Finding>& findings) {
  if (findings.empty()) return "no findings";
  std::string text = counted(findings.size(), "finding") + ":";
  const char* separator = " ";
  for (const auto& [severity, noun] : {std::pair{Severity::Critical, "critical"},
                                       {Severity::Warning, "warning"},
                                       {Severity::Info, "info"}}) {
    const auto count =
        static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
    if (count == 0) continue;
    text += separator + (severity == Severity::Warning ? counted(count, noun)
                                                       : std::to_string(count) + " " + noun);
    separator = ", ";
  }
  return text;
}

std::string findingsText(const DetectorReport& report) {
  std::string text = findingsCount(report.findings) + " (" + name(report.mode) + " detectors)\n";
  for (const Finding& finding : report.findings) text += "\n" + findingText(finding);
  return text;
}

}  // namespace quantscope
