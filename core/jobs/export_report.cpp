#include "jobs/export_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/error.h"
#include "export/heatmap_picture.h"
#include "export/number_text.h"
#include "export/report/report_markdown.h"
#include "export/report/report_pdf.h"
#include "export/report_html.h"
#include "jobs/computation_origin.h"

namespace quantscope {
namespace {

ReportSource sourceOf(const AnalysisSnapshot& analysis) {
  return {.result = *analysis.result,
          .config = analysis.request.config,
          .detectors = *analysis.detected,
          .program = computationOrigin(),
          .batch = analysis.request.batch};
}

std::string markdown(const AnalysisSnapshot& analysis) {
  return reportMarkdown(sourceOf(analysis));
}

std::string html(const AnalysisSnapshot& analysis) {
  return reportHtml(*analysis.result, analysis.request.config, analysis.graph(),
                    *analysis.detected);
}

std::string pdf(const AnalysisSnapshot& analysis) {
  return reportPdf(sourceOf(analysis));
}

std::string png(const AnalysisSnapshot& analysis) {
  return heatmapPng(*analysis.result);
}

std::string svg(const AnalysisSnapshot& analysis) {
  return heatmapSvg(*analysis.result);
}

struct ReportFormat {
  const char* name;
  std::string (*bytes)(const AnalysisSnapshot& analysis);
};

constexpr ReportFormat kFormats[] = {
    {"markdown", &markdown}, {"html", &html}, {"pdf", &pdf}, {"png", &png}, {"svg", &svg}};

}  // namespace

const std::vector<std::string>& reportFormats() {
  static const std::vector<std::string> formats = [] {
    std::vector<std::string> names;
    for (const ReportFormat& format : kFormats) names.emplace_back(format.name);
    return names;
  }();
  return formats;
}

ExportReport exportReport(const AnalysisSnapshot& analysis, const ExportRequest& request,
                          JobContext& job) {
  const auto* format = std::ranges::find(kFormats, request.format, &ReportFormat::name);
  if (format == std::end(kFormats)) {
    throw Error(ErrorCode::InvalidParameters, "there is no report '" + request.format + "'", {},
                "give one of the formats that --help lists");
  }
  requireNoOpset(request);
  job.beginStage("Writing the report", 0);
  const std::string bytes = format->bytes(analysis);
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
