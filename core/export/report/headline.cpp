#include "export/report/headline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/errors/worst_output.h"
#include "base/number_text.h"
#include "export/count_text.h"
#include "export/output_text.h"
#include "export/report/html_text.h"

namespace quantscope {
namespace {

constexpr std::size_t kMaxNote = 40;

std::string points(double difference) {
  const double value = std::round(1000 * difference) / 10;
  if (value == 0) return "no change";
  return (value > 0 ? "+" : "") + shortNumber(value) + " points";
}

// "911 → 239 kB": the unit once where both have the same.
std::string change(std::string before, const std::string& after) {
  const std::size_t unit = before.rfind(' ');
  if (unit != std::string::npos && after.ends_with(before.substr(unit))) before.resize(unit);
  return before + " → " + after;
}

// That of the worst output, which gains are of, too.
void addSqnr(const AnalysisResult& result, const std::string& original,
             std::vector<HeadlineFigure>& figures) {
  const OutputResult* worst = worstOutput(result.outputs);
  if (worst == nullptr) return;
  const double sqnrDb = *worst->error.sqnrDb;
  std::string note = shortened(worst->value, kMaxNote);
  std::string definition =
      "Signal to quantization noise at the network's output over all samples. Higher is "
      "better: 40 dB is an error of 1 %, 20 dB of 10 %.";
  if (!original.empty()) {
    note += ", against " + shortened(original, kMaxNote);
    definition += " The signal is that of the float model " + original +
                  "; errors of layers and gains are against the float network of the model itself.";
  }
  figures.push_back({result.outputs.size() > 1 ? "Worst output SQNR" : "Output SQNR",
                     {{shortNumber(sqnrDb)}, {" dB", true}},
                     std::move(note),
                     std::move(definition),
                     sqnrDb});
}

// Of the first output that has classes.
void addClasses(const AnalysisResult& result, std::vector<HeadlineFigure>& figures) {
  const auto output = std::ranges::find_if(result.outputs, [](const OutputResult& each) {
    return each.top1Agreement || (each.accuracyFloat && each.accuracyQuantized);
  });
  if (output == result.outputs.end()) return;
  if (output->top1Agreement) {
    figures.push_back({"Top-1 agreement",
                       {{percent(*output->top1Agreement)}},
                       "same class as float",
                       "Share of samples for which the quantized network chooses the class that "
                       "the float network chooses.",
                       {}});
  }
  if (output->accuracyFloat && output->accuracyQuantized) {
    figures.push_back(
        {"Accuracy",
         {{accuracyText(*output)}},
         points(*output->accuracyQuantized - *output->accuracyFloat),
         "Share of labelled samples that are classified correctly, float → quantized.",
         {}});
  }
}

void addSize(const QuantizationSummary& summary, std::vector<HeadlineFigure>& figures) {
  if (summary.floatBytes == 0) return;
  figures.push_back({"Size",
                     {{change(byteSize(static_cast<double>(summary.floatBytes)),
                              byteSize(static_cast<double>(summary.quantizedBytes)))}},
                     fixedNumber(summary.trueCompression, 2) + "× smaller, " +
                         percent(summary.memorySavedPercent / 100) + " saved",
                     "Bytes of all constants, float → quantized, scales and zero points counted. "
                     "By bits alone the quantized weights shrink " +
                         fixedNumber(summary.meanCompression, 2) + "× on average.",
                     {}});
}

// "int8 12, fp32 3", most layers first.
void addTypes(const QuantizationSummary& summary, std::vector<HeadlineFigure>& figures) {
  auto counts = summary.nodesByType;
  std::ranges::stable_sort(counts, std::ranges::greater{},
                           [](const auto& entry) { return entry.second; });
  std::vector<FigurePart> parts;
  for (const auto& [type, count] : counts) {
    parts.push_back({(parts.empty() ? "" : ", ") + type + " "});
    parts.push_back({grouped(count), true});
  }
  figures.push_back({"Layers by type",
                     std::move(parts),
                     "of their weights, else of what goes in",
                     "How many layers have each type; fp32 are those that stay in float.",
                     {}});
}

void addBits(const ModelCost& cost, std::vector<HeadlineFigure>& figures) {
  if (!cost.meanBits) return;
  figures.push_back({"Weights",
                     {{shortNumber(*cost.meanBits)}, {" bits", true}},
                     "in the mean over all weights",
                     "Mean over all elements of weights, without scales and zero points; float "
                     "ones have 32 bits, and a weight that is stored in several forms has those "
                     "of each.",
                     {}});
}

void addMacs(const QuantizationSummary& summary, const ModelCost& cost,
             std::vector<HeadlineFigure>& figures) {
  if (!summary.macsAbove8Bits || !cost.macs) return;
  figures.push_back({"Multiply-accumulates",
                     {{countInWords(*cost.macs)}},
                     "for one sample, " + percent(*summary.macsAbove8Bits) + " above 8 bits",
                     "Multiply-accumulates of convolutions, matrix products and recurrences, and "
                     "the share of them that run with weights or activations of more than 8 bits, "
                     "or in float.",
                     {}});
}

}  // namespace

std::string HeadlineFigure::text() const {
  std::string text;
  for (const FigurePart& part : parts) text += part.text;
  return text;
}

std::vector<HeadlineFigure> headlineFigures(const AnalysisResult& result, const ModelCost& cost,
                                            const std::string& original) {
  std::vector<HeadlineFigure> figures;
  addSqnr(result, original, figures);
  addClasses(result, figures);
  addSize(result.summary, figures);
  addBits(cost, figures);
  addTypes(result.summary, figures);
  addMacs(result.summary, cost, figures);
  figures.push_back(
      {"Quantized layers",
       {{grouped(result.summary.quantizedLayers)}, {" of " + grouped(result.layers.size()), true}},
       "backend " + result.backend,
       "Layers whose inputs, weights or outputs are quantized; a fused pattern is one layer.",
       {}});
  figures.push_back(
      {"Samples",
       {{grouped(result.samples)}},
       grouped(result.summary.calibrationSamples) + " to calibrate",
       "Samples that the errors were measured on, and those that the ranges come from.",
       {}});
  return figures;
}

}  // namespace quantscope
