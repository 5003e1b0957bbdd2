#include "export/output_text.h"

#include <cmath>

#include "export/number_text.h"

namespace quantscope {
namespace {

std::string hundredths(double share) {
  return fixedNumber(100 * share, 2) + " %";
}

}  // namespace

std::string decibelsText(const std::optional<double>& sqnrDb) {
  if (!sqnrDb) return "not computed";
  if (std::isinf(*sqnrDb)) return *sqnrDb > 0 ? "exact" : "not finite";
  return fixedNumber(*sqnrDb, 1) + " dB";
}

std::string outputText(const OutputResult& output) {
  std::string text = "output " + output.value + ": SQNR " + decibelsText(output.error.sqnrDb);
  if (output.top1Agreement) text += ", top-1 agreement " + hundredths(*output.top1Agreement);
  if (output.accuracyFloat && output.accuracyQuantized) {
    text += ", accuracy " + hundredths(*output.accuracyFloat) + " -> " +
            hundredths(*output.accuracyQuantized);
  }
  return text + "\n";
}

}  // namespace quantscope
