#include "export/report/procedure.h"

#include <algorithm>
#include <cmath>

#include "analysis/bad_layers.h"
#include "analysis/errors/worst_output.h"
#include "base/number_text.h"
#include "export/findings_text.h"
#include "export/layer_words.h"
#include "export/report/html_text.h"
#include "export/worst_layers.h"
#include "search/advice/next_change.h"

namespace quantscope {
namespace {

constexpr std::size_t kNameBytes = 80;
constexpr std::size_t kSentenceBytes = 300;
constexpr std::size_t kMostEdits = 4;
// From this difference on, in dB, one half of the quantization is said to cost more.
constexpr double kTellingDb = 2;

std::string sqnrWords(const std::optional<double>& value) {
  if (!value) return "an error that could not be computed";
  if (std::isinf(*value)) return *value > 0 ? "no error" : "values that are not finite";
  return shortNumber(*value) + " dB";
}

ProcedureStep floatStep(const AnalysisResult& result) {
  ProcedureStep step{ProcedureStage::Float, "Does float work?", {}, false};
  if (result.samples == 0) {
    step.sentence = "Choose real inputs, prepared as they are in use, and labels where there are.";
    return step;
  }
  const std::string samples = counted(result.samples, "sample");
  if (result.synthetic) {
    step.sentence = samples + " of random numbers: choose real inputs before you believe a figure.";
    return step;
  }
  step.done = true;
  const auto labelled = std::ranges::find_if(
      result.outputs, [](const auto& o) { return o.accuracyFloat.has_value(); });
  if (labelled != result.outputs.end()) {
    step.sentence = "The float network is right on " + percent(*labelled->accuracyFloat) + " of " +
                    samples + ".";
  } else {
    step.sentence = samples +
                    ", no labels: all is measured against the float network, whose own mistakes "
                    "stay unseen.";
  }
  return step;
}

std::string verdictOf(const LadderStep& ladder) {
  if (!ladder.weightsOnlyDb || !ladder.activationsOnlyDb) return "";
  const double weights = *ladder.weightsOnlyDb;
  const double activations = *ladder.activationsOnlyDb;
  if (weights == INFINITY && activations == INFINITY) return "";
  if (weights + kTellingDb < activations) return " The weights cost more.";
  if (activations + kTellingDb < weights) return " The activations cost more.";
  return " Both cost about the same.";
}

ProcedureStep partsStep(const AnalysisResult& result, const std::vector<LadderStep>& ladder) {
  ProcedureStep step{ProcedureStage::Parts, "Weights or activations?", {}, !ladder.empty()};
  if (ladder.empty()) {
    step.sentence = result.samples == 0 ? "Known as soon as samples have run."
                                        : "Not measured yet: each is run alone on all samples.";
    return step;
  }
  const OutputResult* output = worstOutput(result.outputs);
  const auto worst = std::ranges::find_if(ladder, [&](const LadderStep& other) {
    return output != nullptr && other.value == output->value;
  });
  const LadderStep& shown = worst != ladder.end() ? *worst : ladder.front();
  step.sentence = shortened(shown.value, kNameBytes) + ": " + ladderWords(shown) + ", " +
                  sqnrWords(shown.bothDb) + " with both." + verdictOf(shown);
  return step;
}

ProcedureStep layersStep(const AnalysisResult& result) {
  ProcedureStep step{ProcedureStage::Layers, "Which layers?", {}, false};
  const std::vector<std::size_t> worst = worstLayers(result, &LayerResult::local, 1);
  if (result.samples == 0) {
    step.sentence = "Known as soon as samples have run.";
    return step;
  }
  step.done = true;
  if (worst.empty()) {
    step.sentence = "No quantized layer has an error of its own.";
    return step;
  }
  const std::size_t bad = static_cast<std::size_t>(std::ranges::count_if(
      result.layers, [](const LayerResult& layer) { return ownDb(layer) < kBadLayerDb; }));
  const LayerResult& layer = result.layers[worst.front()];
  const std::string cause = layer.budget ? largestPart(*layer.budget) : std::string();
  step.sentence = (bad == 0 ? "No layer is" : counted(bad, "layer") + (bad == 1 ? " is" : " are")) +
                  " below " + shortNumber(kBadLayerDb) + " dB by itself; the worst is " +
                  shortened(layer.name, kNameBytes) + " with " +
                  sqnrWords(layer.local->total.sqnrDb) + (cause.empty() ? "" : ", from " + cause) +
                  ".";
  return step;
}

ProcedureStep causesStep(const AnalysisResult& result, const DetectorReport* detectors) {
  ProcedureStep step{
      ProcedureStage::Causes, "Why?", {}, result.samples > 0 && detectors != nullptr};
  if (!step.done) {
    step.sentence = "The detectors look as soon as samples have run.";
  } else if (detectors->findings.empty()) {
    step.sentence = "The detectors have found nothing.";
  } else {
    step.sentence = findingsCount(detectors->findings) +
                    ". First: " + shortened(detectors->findings.front().text, kSentenceBytes);
  }
  return step;
}

std::string listed(const std::vector<std::string>& edits) {
  std::string text = counted(edits.size(), "change") + ": ";
  for (std::size_t i = 0; i < std::min(kMostEdits, edits.size()); ++i) {
    text += (i == 0 ? "" : "; ") + shortened(edits[i], kSentenceBytes);
  }
  return text + (edits.size() > kMostEdits ? "; …" : ".");
}

ProcedureStep fixesStep(const AnalysisResult& result, const WorkDone& work) {
  ProcedureStep step{ProcedureStage::Fixes, "What helps?", {}, false};
  const bool exact = isExact(result);
  step.done = exact || !work.edits.empty() || work.nothingHelps;
  if (!work.edits.empty()) step.sentence = listed(work.edits);
  if (exact) {
    step.sentence += (step.sentence.empty() ? "" : " ") + std::string("The outputs are exact.");
  } else if (work.proposal) {
    step.sentence +=
        (step.sentence.empty() ? "Best next change: " : " Next: ") + *work.proposal + ".";
  } else if (work.nothingHelps) {
    step.sentence +=
        std::string(step.sentence.empty() ? "" : " ") + "Best next change: " + noChangeText() + ".";
  } else if (step.sentence.empty() && !work.accepted) {
    step.sentence = "Nothing was changed yet.";
  }
  if (work.accepted) {
    step.sentence += std::string(step.sentence.empty() ? "" : " ") +
                     "Accepted for another configuration: " + *work.accepted + ".";
  }
  return step;
}

ProcedureStep measuredStep(const AnalysisResult& result, const WorkDone& work) {
  ProcedureStep step{ProcedureStage::Measured, "Is it better?", {}, false};
  const std::optional<double> now = worstOutputSqnr(result.outputs);
  if (work.edits.empty()) {
    step.sentence =
        now ? "The worst output has " + sqnrWords(now) + "; nothing to compare with yet."
            : std::string("Known as soon as something was changed.");
    return step;
  }
  if (!work.startDb || !now) {
    step.sentence = "What the outputs had before the first change is not known.";
    return step;
  }
  step.done = true;
  step.sentence = "Worst output: " + sqnrWords(work.startDb) + " → " + sqnrWords(now);
  const auto bytes = static_cast<double>(result.summary.quantizedBytes);
  if (work.startBytes > 0 && bytes != work.startBytes) {
    const double change = 100 * (bytes / work.startBytes - 1);
    step.sentence += ", " + std::string(change > 0 ? "+" : "−") + shortNumber(std::abs(change)) +
                     " % bytes of constants";
  }
  step.sentence += ", on " + counted(result.samples, "sample") + ".";
  return step;
}

ProcedureStep exportedStep(const WorkDone& work) {
  return {ProcedureStage::Exported, "Does the export agree?",
          work.exported.value_or("Not exported as it is now. An export is read back, run, and "
                                 "compared with these figures."),
          work.exported.has_value()};
}

}  // namespace

std::vector<ProcedureStep> procedureOf(const AnalysisResult& result,
                                       const DetectorReport* detectors,
                                       const std::vector<LadderStep>& ladder,
                                       const WorkDone& work) {
  return {floatStep(result),       partsStep(result, ladder),
          layersStep(result),      causesStep(result, detectors),
          fixesStep(result, work), measuredStep(result, work),
          exportedStep(work)};
}

}  // namespace quantscope
