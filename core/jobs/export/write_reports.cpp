#include "jobs/export/write_reports.h"

#include <algorithm>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/number_text.h"
#include "export/findings_text.h"
#include "export/json/report_json.h"
#include "export/layer_words.h"
#include "export/output_text.h"
#include "export/pictures/heatmap_picture.h"
#include "jobs/export/export_report.h"
#include "search/advice/next_change.h"

namespace quantscope {
namespace {

constexpr std::size_t kWorstLayers = 5;

std::string biasText(const LayerResult& layer) {
  if (layer.biasOverflows == 0) return "";
  return ", bias beyond int32 on " + counted(layer.biasOverflows, "channel");
}

std::string causeText(const std::optional<ErrorBudget>& budget) {
  const std::string cause = budget ? largestPart(*budget) : std::string();
  return cause.empty() ? "" : ", from " + cause;
}

std::string ladderText(const LadderStep& step) {
  return "output " + step.value + " with weights alone quantized " + sqnrText(step.weightsOnlyDb) +
         ", with activations alone " + sqnrText(step.activationsOnlyDb) + "\n";
}

std::string worstLayersText(const AnalysisResult& result) {
  std::vector<const LayerResult*> layers;
  for (const LayerResult& layer : result.layers) {
    if (layer.local && layer.local->total.sqnrDb) layers.push_back(&layer);
  }
  std::ranges::stable_sort(layers, {},
                           [](const LayerResult* layer) { return *layer->local->total.sqnrDb; });
  if (layers.empty()) return "";
  std::string text = "worst layers by local error:\n";
  for (std::size_t i = 0; i < std::min(kWorstLayers, layers.size()); ++i) {
    const LayerResult& layer = *layers[i];
    text += "  " + sqnrText(layer.local->total.sqnrDb) + "  " + layer.name + " (" + layer.fusedOps +
            ")" + causeText(layer.budget) + biasText(layer) + "\n";
  }
  return text;
}

// What the work on the network has found beside the findings.
std::string decisionsText(const WorkDone& work) {
  std::string text;
  if (work.proposal) text += "best next change: " + *work.proposal + "\n";
  if (work.nothingHelps) text += "best next change: " + noChangeText() + "\n";
  if (work.accepted) text += "accepted for another configuration: " + *work.accepted + "\n";
  return text.empty() ? text : "\n" + text;
}

}  // namespace

void writeReports(const AnalysisSnapshot& analysis, OutputFolder& out, JobContext& job,
                  const ReportedChanges& changes, const WorkDone& work) {
  const AnalysisResult& result = *analysis.result;
  const Configuration& config = analysis.request.config;
  const Graph& graph = analysis.graph();
  job.beginStage("Writing reports", 0);
  std::vector<std::unique_ptr<AtomicFile>> files;
  const auto prepare = [&](const char* name, const std::string& text) {
    files.push_back(std::make_unique<AtomicFile>(out.path() / name));
    files.back()->append(std::as_bytes(std::span(text)));
    job.throwIfCancelled();
  };
  const ModelCost cost =
      modelCost(*analysis.model.engine, *analysis.quantized, *analysis.observations);
  prepare("report.json", reportJson(result, config, graph, *analysis.quantized, cost,
                                    *analysis.detected, changes));
  prepare("heatmap.png", heatmapPng(result));
  prepare("report.html", reportPage(analysis, work));
  prepare("findings.txt", findingsText(*analysis.detected) + decisionsText(work));
  for (const auto& file : files) file->commit(AtomicFile::Durability::OnDisk);
  out.keep();
}

std::string summaryText(const AnalysisSnapshot& analysis) {
  const AnalysisResult& result = *analysis.result;
  std::string text = result.model + ": " + result.scheme + ", backend " + result.backend + ", " +
                     counted(result.samples, result.synthetic ? "SYNTHETIC sample" : "sample") +
                     "\n";
  for (const OutputResult& output : result.outputs) text += outputText(output);
  for (const LadderStep& step : result.ladder) text += ladderText(step);
  text += worstLayersText(result);
  if (!result.notComputed.empty()) {
    text += counted(result.notComputed.size(), "node") + " could not be computed, first " +
            result.notComputed.front().node + " (" + result.notComputed.front().op +
            "): " + result.notComputed.front().reason + "\n";
  }
  return text + findingsCount(analysis.detected->findings) + "\n";
}

}  // namespace quantscope
