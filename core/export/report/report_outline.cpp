#include "export/report/report_outline.h"

#include <algorithm>

#include "analysis/layer_report.h"
#include "base/number_text.h"
#include "export/count_text.h"
#include "export/findings_text.h"
#include "export/layer_words.h"
#include "export/output_text.h"
#include "export/report/headline.h"
#include "export/report/html_text.h"
#include "export/worst_layers.h"
#include "precision/config/config_diff.h"

namespace quantscope {
namespace {

constexpr std::size_t kWorst = 12;
constexpr std::size_t kMaxRows = 100;
constexpr std::size_t kMaxName = 120;      // bytes
constexpr std::size_t kMaxSentence = 600;  // bytes

std::string cut(const std::string& name) {
  return shortened(name, kMaxName);
}

std::string cutSentence(const std::string& sentence) {
  return shortened(sentence, kMaxSentence);
}

// Notes how many of `all` entries a list leaves out.
void noteRest(std::size_t all, ReportSection& section) {
  if (all > kMaxRows) section.points.push_back({"and " + grouped(all - kMaxRows) + " more"});
}

std::string sqnrText(const std::optional<LayerError>& error) {
  if (!error || !error->total.sqnrDb) return "–";
  return shortNumber(*error->total.sqnrDb) + " dB";
}

ReportSection headline(const ReportSource& source) {
  const AnalysisResult& result = source.result;
  ReportSection section{.title = "Headline", .columns = {"Figure", "Value", ""}};
  section.sentences.push_back(cutSentence(result.scheme) + ", backend " + cut(result.backend) +
                              ".");
  if (result.synthetic) {
    section.sentences.emplace_back(
        "SYNTHETIC DATA: the samples are random numbers; the errors below say little about real "
        "inputs.");
  }
  for (const HeadlineFigure& figure :
       headlineFigures(source.result, source.cost, source.original)) {
    section.rows.push_back({figure.title, figure.text(), figure.note});
  }
  return section;
}

ReportSection procedure(const ReportSource& source) {
  ReportSection section{.title = "Procedure", .columns = {"Question", "Done", "Here"}};
  for (const ProcedureStep& step :
       procedureOf(source.result, &source.detectors, source.result.ladder, source.work)) {
    section.rows.push_back({step.title, step.done ? "yes" : "open", cutSentence(step.sentence)});
  }
  return section;
}

void addPoints(const std::vector<std::string>& sentences, ReportSection& section) {
  for (std::size_t i = 0; i < std::min(sentences.size(), kMaxRows); ++i) {
    section.points.push_back({cutSentence(sentences[i])});
  }
  noteRest(sentences.size(), section);
}

ReportSection history(const std::vector<std::string>& edits) {
  ReportSection section{.title = "History"};
  section.sentences.push_back(counted(edits.size(), "change") + " of the configuration, in order:");
  addPoints(edits, section);
  return section;
}

ReportSection outputs(const AnalysisResult& result) {
  ReportSection section{
      .title = "Outputs",
      .columns = {"Output", "SQNR, dB", "Cosine", "KL, nats", "Top-1 agreement", "Accuracy"}};
  for (std::size_t i = 0; i < std::min(result.outputs.size(), kMaxRows); ++i) {
    const OutputResult& output = result.outputs[i];
    section.rows.push_back({cut(output.value), shortNumber(output.error.sqnrDb),
                            shortNumber(output.error.cosine), shortNumber(output.kl),
                            output.top1Agreement ? percent(*output.top1Agreement) : "–",
                            accuracyText(output)});
  }
  noteRest(result.outputs.size(), section);
  for (const LadderStep& step : result.ladder) {
    if (section.sentences.size() == kMaxRows) break;
    section.sentences.push_back("Output " + cut(step.value) + ": " + ladderWords(step) + ".");
  }
  return section;
}

std::string typesText(const LayerResult& layer) {
  std::string text;
  if (layer.weight) text = "weights " + typeWords(layer.weight);
  if (layer.activation) {
    text += (text.empty() ? "" : ", ") + ("activations " + typeWords(layer.activation));
  }
  return text;
}

std::string causeText(const LayerResult& layer) {
  std::string cause = layer.budget ? largestPart(*layer.budget) : "";
  const std::string clipping = clippingWords(layer);
  if (!cause.empty() && !clipping.empty()) cause += "; ";
  return cause + clipping;
}

ReportSection worst(const AnalysisResult& result) {
  ReportSection section{
      .title = "Worst layers",
      .columns = {"Layer", "Operators", "Types", "Local SQNR", "Accumulated SQNR", "Cause"}};
  for (const std::size_t i : worstLayers(result, &LayerResult::local, kWorst)) {
    const LayerResult& layer = result.layers[i];
    section.rows.push_back({cut(layer.name), cut(layerOps(layer)), typesText(layer),
                            sqnrText(layer.local), sqnrText(layer.accumulated), causeText(layer)});
  }
  if (section.rows.empty()) {
    section.columns.clear();
    section.sentences.emplace_back("No layer has an error that could be computed.");
    return section;
  }
  section.sentences.emplace_back(
      "By local error, the worst first: only this layer is quantized, and its inputs are the float "
      "ones. The accumulated error is that of the whole network, quantized, at this layer.");
  for (const std::size_t i : worstLayers(result, &LayerResult::accumulated, 1)) {
    section.sentences.push_back(
        "Largest error where it has built up: " + cut(result.layers[i].name) + ", " +
        sqnrText(result.layers[i].accumulated) + ".");
  }
  return section;
}

std::vector<std::string> findingPoint(const Finding& finding) {
  std::vector<std::string> lines{std::string(name(finding.severity)) + ": " +
                                 cutSentence(finding.text)};
  if (!finding.why.empty()) lines.push_back("Why: " + cutSentence(finding.why));
  const Detector* detector = findDetector(finding.detector);
  lines.push_back((detector != nullptr ? std::string(detector->title) : finding.detector) + ": " +
                  shortNumber(finding.statistic) + ", threshold " + shortNumber(finding.threshold) +
                  ", confidence " + percent(finding.confidence));
  if (finding.suggestion) {
    std::string remedy = "Do: " + cutSentence(finding.suggestion->text);
    if (finding.suggestion->gainDb) remedy += " (" + gainText(*finding.suggestion) + ")";
    lines.push_back(remedy);
  }
  return lines;
}

ReportSection findings(const DetectorReport& detectors) {
  ReportSection section{.title = "Findings"};
  section.sentences.push_back(findingsCount(detectors.findings) + ".");
  const std::size_t count = std::min(detectors.findings.size(), kMaxRows);
  for (std::size_t i = 0; i < count; ++i) {
    section.points.push_back(findingPoint(detectors.findings[i]));
  }
  noteRest(detectors.findings.size(), section);
  return section;
}

ReportSection configuration(const AnalysisResult& result, const Configuration& config) {
  ReportSection section{.title = "Configuration"};
  const std::vector<std::string> changes = describeChanges(Configuration(), config);
  section.sentences.push_back("By default " + describeDefault(*config.precision) + ".");
  section.sentences.emplace_back(changes.empty()
                                     ? "Nothing differs from the program's own configuration."
                                     : "What differs from the program's own configuration:");
  addPoints(changes, section);
  addPoints(result.notices, section);
  return section;
}

ReportSection notComputed(const AnalysisResult& result) {
  ReportSection section{.title = "Not computed", .columns = {"Node", "Operator", "Reason"}};
  for (std::size_t i = 0; i < std::min(result.notComputed.size(), kMaxRows); ++i) {
    const NotComputed& missing = result.notComputed[i];
    section.rows.push_back({cut(missing.node), cut(missing.op), cutSentence(missing.reason)});
  }
  noteRest(result.notComputed.size(), section);
  return section;
}

}  // namespace

std::string reportTitle(const ReportSource& source) {
  constexpr std::size_t kMaxBytes = 200;
  return shortened(source.result.model, kMaxBytes);
}

ReportSection costSection(const QuantizationSummary& summary, const ModelCost& cost) {
  ReportSection section{.title = "Cost", .columns = {"Constants", "Float", "Quantized", "Saved"}};
  section.rows.push_back(
      {"Bytes", byteSize(static_cast<double>(summary.floatBytes)),
       byteSize(static_cast<double>(summary.quantizedBytes)),
       byteSize(summary.memorySavedBytes) + ", " + percent(summary.memorySavedPercent / 100)});
  section.sentences.push_back(
      fixedNumber(summary.trueCompression, 2) + "× smaller with scales and zero points counted, " +
      fixedNumber(summary.meanCompression, 2) + "× by the bits of the quantized weights alone.");
  if (cost.meanBits) {
    section.sentences.push_back("Weights have " + shortNumber(*cost.meanBits) +
                                " bits in the mean.");
  }
  if (cost.macs && summary.macsAbove8Bits) {
    section.sentences.push_back("A sample takes " + countInWords(*cost.macs) +
                                " multiply-accumulates; " + percent(*summary.macsAbove8Bits) +
                                " of them run above 8 bits or in float.");
  }
  return section;
}

ReportSection sensitivitySection(const AnalysisResult& result) {
  ReportSection section{.title = "Sensitivities",
                        .columns = {"Layer", "Operators", "Types", "Output with it alone, SQNR"}};
  for (const std::size_t i : worstLayers(result, &LayerResult::contribution, kWorst)) {
    const LayerResult& layer = result.layers[i];
    section.rows.push_back(
        {cut(layer.name), cut(layerOps(layer)), typesText(layer), sqnrText(layer.contribution)});
  }
  section.sentences.emplace_back(
      "The worst output of the network with this layer alone quantized, the most sensitive layer "
      "first.");
  return section;
}

ReportSection originSection(const ReportSource& source) {
  const AnalysisResult& result = source.result;
  ReportSection section{.title = "How it was made", .columns = {"What", "With"}};
  section.rows = {
      {"Program", source.program},
      {"Model", cut(result.model)},
      {"Samples", grouped(result.samples) + ", " + cut(result.data)},
      {"Calibration", grouped(result.summary.calibrationSamples) + ", " +
                          cut(result.calibrationData) + ", in batches of " + grouped(source.batch)},
      {"Backend", cut(result.backend)},
      {"Detectors",
       source.detectors.mode == DetectorMode::PyTorch ? "PyTorch's ModelReport" : "Quantscope's"}};
  return section;
}

std::vector<ReportSection> reportOutline(const ReportSource& source) {
  const AnalysisResult& result = source.result;
  std::vector<ReportSection> sections{headline(source), procedure(source)};
  if (!result.outputs.empty()) sections.push_back(outputs(result));
  sections.push_back(worst(result));
  ReportSection sensitivities = sensitivitySection(result);
  if (!sensitivities.rows.empty()) sections.push_back(std::move(sensitivities));
  sections.push_back(findings(source.detectors));
  sections.push_back(configuration(result, source.config));
  if (!source.work.edits.empty()) sections.push_back(history(source.work.edits));
  sections.push_back(costSection(result.summary, source.cost));
  if (!result.notComputed.empty()) sections.push_back(notComputed(result));
  sections.push_back(originSection(source));
  return sections;
}

}  // namespace quantscope
