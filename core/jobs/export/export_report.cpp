#include "jobs/export/export_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/number_text.h"
#include "export/pictures/heatmap_picture.h"
#include "export/report/report_html.h"
#include "export/report/report_markdown.h"
#include "export/report/report_pdf.h"
#include "jobs/computation_origin.h"

namespace quantscope {
namespace {

ReportSource reportSource(const AnalysisSnapshot& analysis, const WorkDone& work) {
  return {.result = *analysis.result,
          .config = analysis.request.config,
          .detectors = *analysis.detected,
          .program = computationOrigin(),
          .batch = analysis.request.batch,
          .work = work,
          .cost = modelCost(*analysis.model.engine, *analysis.quantized, *analysis.observations),
          .original = analysis.original};
}

std::string markdown(const AnalysisSnapshot& analysis, const WorkDone& work) {
  return reportMarkdown(reportSource(analysis, work));
}

std::string html(const AnalysisSnapshot& analysis, const WorkDone& work) {
  return reportPage(analysis, work);
}

std::string pdf(const AnalysisSnapshot& analysis, const WorkDone& work) {
  return reportPdf(reportSource(analysis, work));
}

std::string png(const AnalysisSnapshot& analysis, const WorkDone& /*work*/) {
  return heatmapPng(*analysis.result);
}

std::string svg(const AnalysisSnapshot& analysis, const WorkDone& /*work*/) {
  return heatmapSvg(*analysis.result);
}

struct ReportFormat {
  const char* name;
  std::string (*bytes)(const AnalysisSnapshot& analysis, const WorkDone& work);
};

constexpr ReportFormat kFormats[] = {
    {"markdown", &markdown}, {"html", &html}, {"pdf", &pdf}, {"png", &png}, {"svg", &svg}};

}  // namespace

std::string reportPage(const AnalysisSnapshot& analysis, const WorkDone& work) {
  ReportSource source = reportSource(analysis, work);
  // The page is the same, byte for byte, on every machine.
  source.program = programName();
  return reportHtml(source, analysis.graph());
}

const std::vector<std::string>& reportFormats() {
  static const std::vector<std::string> formats = [] {
    std::vector<std::string> names;
    for (const ReportFormat& format : kFormats) names.emplace_back(format.name);
    return names;
  }();
  return formats;
}

bool isReportFormat(const std::string& format) {
  return std::ranges::find(reportFormats(), format) != reportFormats().end();
}

ExportReport exportReport(const AnalysisSnapshot& analysis, const ExportRequest& request,
                          JobContext& job, const WorkDone& work) {
  const auto* format = std::ranges::find(kFormats, request.format, &ReportFormat::name);
  if (format == std::end(kFormats)) {
    throw Error(ErrorCode::InvalidParameters, "there is no report '" + request.format + "'", {},
                "give one of the formats that --help lists");
  }
  requireFittingOptions(request);
  job.beginStage("Writing the report", 0);
  const std::string bytes = format->bytes(analysis, work);
  job.throwIfCancelled();
  writeFileAtomically(request.out, bytes);
  ExportReport report;
  report.written = request.out.string() + ": " + byteSize(static_cast<double>(bytes.size())) + "\n";
  report.text = report.written;
  const nlohmann::ordered_json json{{"format", request.format},
                                    {"file", request.out.string()},
                                    {"bytes", bytes.size()},
                                    {"losses", nlohmann::ordered_json::array()}};
  report.json = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return report;
}

}  // namespace quantscope
