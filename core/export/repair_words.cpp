#include "export/repair_words.h"

#include <cmath>

#include "base/number_text.h"

namespace quantscope {
namespace {

std::string refusedWords(const std::vector<RefusedLayer>& refused) {
  const RefusedLayer& first = refused.front();
  return counted(refused.size(), "layer") + " refused, such as " + first.node + ": " + first.reason;
}

std::string endWords(const FittingEnd& end) {
  std::string words = end.how + " after " + grouped(end.steps);
  if (end.steps < end.planned) words += " of at most " + grouped(end.planned);
  return words + (end.steps == 1 && end.planned <= 1 ? " step" : " steps");
}

}  // namespace

std::string gainText(const std::optional<double>& gain) {
  return (gain && *gain >= 0 ? "+" : "") + decibelText(gain, 2);
}

bool overfits(const StepReport& step) {
  return step.gainFitDb && step.gainHeldOutDb && *step.gainFitDb > 0 &&
         *step.gainFitDb > 1.5 * *step.gainHeldOutDb;
}

std::string figuresOf(const StepReport& step) {
  std::string words;
  const auto add = [&words](const std::string& more) {
    words += (words.empty() ? "" : ", ") + more;
  };
  if (step.kl) add("KL " + shortNumber(step.kl));
  if (step.top1Agreement) add("top-1 agreement " + percent(*step.top1Agreement));
  if (step.inserted > 0) add(counted(step.inserted, "operator") + " inserted");
  if (step.fittedBiases) add("biases fitted");
  // Less would read as 0.00.
  const bool biasesGain = step.gainOfBiasesDb.value_or(0) >= 0.005;
  if (biasesGain) add("which alone gain " + decibelText(step.gainOfBiasesDb, 2));
  return words;
}

std::vector<std::string> remarksOf(const StepReport& step) {
  std::vector<std::string> remarks;
  if (step.end) remarks.push_back(endWords(*step.end));
  if (!step.refused.empty()) remarks.push_back(refusedWords(step.refused));
  for (const auto* notes : {&step.notes, &step.remarks}) {
    for (const std::string& note : *notes) remarks.push_back("note: " + note);
  }
  if (overfits(step)) {
    remarks.push_back(gainText(step.gainFitDb) +
                      " on the samples that it was fitted to, more than 1.5 × those held out: "
                      "that figure is optimistic");
  }
  return remarks;
}

std::vector<std::string> heldOutRemarks(const RepairResult& result) {
  std::vector<std::string> remarks;
  if (result.steps.empty() || result.heldOutSamples == 0) return remarks;
  remarks.emplace_back("held-out figures are optimistic: the same samples have judged every step");
  if (!result.calibratedApart) {
    remarks.emplace_back("ranges are observed on all samples, those held out among them");
  }
  if (!result.recordings.empty()) remarks.push_back(result.recordings);
  return remarks;
}

std::vector<std::string> remarksOf(const RepairResult& result) {
  std::vector<std::string> remarks;
  if (!result.refused.empty()) remarks.push_back(refusedWords(result.refused));
  if (result.raisedScales > 0) {
    remarks.push_back(counted(result.raisedScales, "layer") +
                      " with larger weight scales in the end, so that the integer bias fits: " +
                      gainText(result.raisedGainHeldOutDb) + " held out");
  }
  if (result.unfitBiases > 0) {
    remarks.push_back(
        (result.unfitBiases == 1
             ? std::string("1 bias still does not fit into its integer")
             : grouped(result.unfitBiases) + " biases still do not fit into their integers") +
        (result.whyUnfit.empty() ? "" : ": " + result.whyUnfit));
  }
  if (result.unsafePairs > 0) {
    const std::string pairs = result.unsafePairs == 1 ? " pair" : " pairs";
    remarks.push_back(grouped(result.unsafePairs) + pairs +
                      " of weights may overflow sums of 16 bits, on machines without VNNI");
  }
  const std::vector<std::string> heldOut = heldOutRemarks(result);
  remarks.insert(remarks.end(), heldOut.begin(), heldOut.end());
  return remarks;
}

}  // namespace quantscope
