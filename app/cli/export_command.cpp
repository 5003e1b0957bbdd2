#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/error.h"
#include "data_options.h"
#include "jobs/analysis/explain_errors.h"
#include "jobs/export/export_model.h"
#include "jobs/export/export_report.h"
#include "jobs/export/onnx_runtime.h"
#include "jobs/quantize_model.h"
#include "open_analysis.h"
#include "open_data.h"

namespace quantscope::cli {
namespace {

struct ExportOptions {
  std::string model;
  DataOptions data;
  ExportRequest request;
};

std::vector<std::string> allFormats() {
  std::vector<std::string> formats = exportFormats();
  formats.insert(formats.end(), reportFormats().begin(), reportFormats().end());
  return formats;
}

ExportReport analyzeAndExport(const ExportOptions& options, Selection& selection, JobContext& job) {
  const OpenedAnalysis opened =
      openAnalysis(options.model, options.data, DetectorMode::Quantscope, job);
  AnalysisMemory memory(budgetOf(job));
  const SnapshotPtr analysis =
      explainErrors(runAnalysis(opened, nullptr, memory, job), memory, job);
  requireUnchanged(*opened.data, *opened.calibration, opened.labels);
  selection.notices = analysis->result->notices;
  return exportReport(*analysis, options.request, job);
}

ExportReport calibrateAndExport(const ExportOptions& options, Selection& selection,
                                JobContext& job) {
  if (options.data.labels) {
    throw Error(ErrorCode::InvalidParameters,
                "'" + options.request.format + "' has no place for accuracy", {},
                "leave --labels out");
  }
  const LoadedModel model = loadModel(options.model, job);
  const Configuration config = openConfig(options.data, model);
  const auto calibration = openCalibrationStream(options.data, *model.graph);
  const CalibratedModel calibrated =
      calibrateAndQuantize(model, config, *calibration, options.data.batch, job);
  selection.notices = calibrated.model.notices;
  const auto data = openStream(options.data, options.data.data, *model.graph);
  ExportRequest request = options.request;
  request.beforeWriting = [&] { requireUnchanged(*data, *calibration); };
  return exportModel({model, config, calibrated.observations, calibrated.model,
                      calibration->synthetic() || data->synthetic()},
                     *data, request, job);
}

std::string exportAndSay(const ExportOptions& options, Selection& selection, JobContext& job) {
  requireFolderOf(options.request.out.string());
  requireFittingOptions(options.request);
  if (options.request.onnxRuntime) requireOnnxRuntime(*options.request.onnxRuntime);
  const ExportReport report = isReportFormat(options.request.format)
                                  ? analyzeAndExport(options, selection, job)
                                  : calibrateAndExport(options, selection, job);
  const std::optional<std::string>& json = selection.common.json;
  return json ? deliverText(report.json, *json) : report.text;
}

}  // namespace

void addExport(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "export", "Write the quantized model or its configuration for another tool, or a report");
  auto options = std::make_shared<ExportOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  addLabelsOption(*command, options->data, "adds accuracy to reports");
  command->add_option("--format", options->request.format, "What to write")
      ->required()
      ->check(CLI::IsMember(allFormats()))
      ->type_name("FORMAT");
  command->add_option("--opset", options->request.opset, "Opset of ONNX files (default: as needed)")
      ->type_name("N");
  command
      ->add_option("--ort", options->request.onnxRuntime,
                   "Folder where npm installed onnxruntime-node, which runs ONNX files too "
                   "(default: where Node finds it)")
      ->type_name("FOLDER");
  command->add_option("--out", options->request.out, "File to write; of a bundle a new folder")
      ->required()
      ->type_name("PATH");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    return exportAndSay(*options, selection, job);
  });
}

}  // namespace quantscope::cli
