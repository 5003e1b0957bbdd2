#include <CLI/CLI.hpp>

#include "base/atomic_file.h"
#include "base/memory_budget.h"
#include "calibration/open_samples.h"
#include "data_options.h"
#include "detectors/accept_all.h"
#include "export/report_json.h"
#include "jobs/explain_errors.h"
#include "jobs/run_analysis.h"
#include "jobs/write_reports.h"
#include "open_data.h"

namespace quantscope::cli {
namespace {

struct AnalyzeOptions {
  std::string model;
  DataOptions data;
  std::string out;
  std::optional<std::string> accept;
  DetectorMode detectors = DetectorMode::Quantscope;
};

std::string analyzeAndReport(const AnalyzeOptions& options, Selection& selection, JobContext& job) {
  const LoadedModel model = loadModel(options.model, job);
  OpenedAnalysis opened;
  opened.model = model;
  opened.request.model = model.file;
  opened.request.config = openConfig(options.data, model);
  opened.request.batch = options.data.batch;
  opened.request.detectors = options.detectors;
  if (options.data.labels) opened.labels = {readLabels(*options.data.labels), *options.data.labels};
  const std::size_t budget = job.memoryBudget() == 0 ? defaultMemoryBudget() : job.memoryBudget();
  const auto open = [&](std::unique_ptr<SampleSource> source) {
    return std::make_shared<SampleSet>(std::move(source), AnalysisMemory::sampleBytes(budget));
  };
  opened.data = open(openData(options.data, options.data.data, *model.graph));
  opened.calibration = opened.data;
  if (options.data.calibration && *options.data.calibration != options.data.data) {
    opened.calibration = open(openCalibrationData(options.data, *model.graph));
  }
  OutputFolder out(options.out);
  AnalysisMemory memory(budget);
  const SnapshotPtr analysis =
      explainErrors(runAnalysis(opened, nullptr, memory, job), memory, job);
  const Configuration& config = opened.request.config;
  writeReports(*analysis, out, job);
  selection.notices = analysis->result->notices;
  if (options.accept) {
    const AcceptedConfig accepted = acceptAll(*model.engine, config, *analysis->detected, job);
    writeFileAtomically(*options.accept, toJson(accepted.config));
    if (!accepted.leftOut.empty()) selection.notices.push_back(leftOutText(accepted));
  }
  const std::optional<std::string>& json = selection.common.json;
  if (json)
    return deliverText(reportJson(*analysis->result, config, *model.graph, *analysis->quantized,
                                  *analysis->detected),
                       *json);
  return summaryText(*analysis) +
         "report: " + (std::filesystem::path(options.out) / "report.html").string() + "\n" +
         (options.accept ? "configuration: " + *options.accept + "\n" : "");
}

DetectorMode readMode(const std::string& mode) {
  if (mode == "quantscope") return DetectorMode::Quantscope;
  if (mode == "pytorch") return DetectorMode::PyTorch;
  throw CLI::ValidationError("--detectors", "'" + mode + "' is neither quantscope nor pytorch");
}

}  // namespace

void addAnalyze(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "analyze",
      "Quantize a model and report where it hurts and why: JSON, HTML, a heatmap, findings");
  auto options = std::make_shared<AnalyzeOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  command
      ->add_option("--labels", options->data.labels,
                   "Class indices of the first samples (.npy): adds accuracy")
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "--detectors",
          [options](const std::string& mode) { options->detectors = readMode(mode); },
          "quantscope (default), or pytorch: the rules of its ModelReport to the letter")
      ->type_name("MODE");
  command
      ->add_option("--accept", options->accept,
                   "Write the configuration with all suggestions accepted that it can hold and "
                   "that do not lose precision when simulated")
      ->type_name("FILE");
  command->add_option("--out", options->out, "Folder for the reports")
      ->required()
      ->type_name("FOLDER");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    return analyzeAndReport(*options, selection, job);
  });
}

}  // namespace quantscope::cli
