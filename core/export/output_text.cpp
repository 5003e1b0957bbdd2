#include "export/output_text.h"

#include <cmath>
#include <string_view>

#include "base/number_text.h"

namespace quantscope {
namespace {

std::string hundredths(double share) {
  return fixedNumber(100 * share, 2) + " %";
}

// With so many labels a percentage has no more digits than a count.
constexpr std::uint64_t kManyLabels = 100;

constexpr std::string_view kPercent = " %";  // once is enough

bool countsSamples(const OutputResult& output) {
  return output.labelled > 0 && output.labelled < kManyLabels;
}

std::string correctText(double accuracy, const OutputResult& output) {
  if (!countsSamples(output)) return percent(accuracy);
  const auto labelled = static_cast<double>(output.labelled);
  return fixedNumber(std::round(accuracy * labelled), 0) + "/" + fixedNumber(labelled, 0);
}

}  // namespace

std::string sqnrText(const std::optional<double>& sqnrDb) {
  if (!sqnrDb) return "not computed";
  if (std::isinf(*sqnrDb)) return *sqnrDb > 0 ? "exact" : "not finite";
  return decibelText(*sqnrDb);
}

std::string accuracyText(const OutputResult& output) {
  if (!output.accuracyFloat || !output.accuracyQuantized) return "–";
  std::string before = correctText(*output.accuracyFloat, output);
  if (before.ends_with(kPercent)) before.resize(before.size() - kPercent.size());
  return before + " → " + correctText(*output.accuracyQuantized, output);
}

std::string accuracyChangeText(const OutputResult& now, const OutputResult& before) {
  if (!now.accuracyQuantized || !before.accuracyQuantized) return {};
  const bool counts = countsSamples(now) && now.labelled == before.labelled;
  const double whole = counts ? static_cast<double>(now.labelled) : 100;
  const double change = whole * (*now.accuracyQuantized - *before.accuracyQuantized);
  const std::string size = fixedNumber(std::abs(change), counts ? 0 : 1);
  if (size == "0" || size == "0.0") return {};
  return (change > 0 ? "+" : "−") + size;
}

std::string outputText(const OutputResult& output) {
  std::string text = "output " + output.value + ": SQNR " + sqnrText(output.error.sqnrDb);
  if (output.top1Agreement) text += ", top-1 agreement " + hundredths(*output.top1Agreement);
  if (output.accuracyFloat && output.accuracyQuantized) {
    text += ", accuracy " + hundredths(*output.accuracyFloat) + " -> " +
            hundredths(*output.accuracyQuantized);
  }
  return text + "\n";
}

}  // namespace quantscope
