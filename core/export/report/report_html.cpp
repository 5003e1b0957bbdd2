#include "export/report/report_html.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/number_text.h"
#include "export/report/findings_html.h"
#include "export/report/html_text.h"
#include "export/report/report_data.h"
#include "export/report/report_sections.h"
#include "export/worst_layers.h"
#include "resources/report_css.h"
#include "resources/report_graph_js.h"
#include "resources/report_heatmap_js.h"
#include "resources/report_html.h"
#include "resources/report_js.h"
#include "resources/report_table_js.h"

namespace quantscope {
namespace {

constexpr std::size_t kMaxBytes = 5'000'000;
constexpr std::size_t kMaxLayers = 10'000;

// From full detail to the detail that fits for a model of 10,000 layers.
constexpr ReportDetail kDetails[] = {
    {},
    {.digits = 5, .allMetrics = true, .maxName = 200, .samples = 32, .channels = 12},
    {.digits = 4, .allMetrics = true, .maxName = 120, .samples = 16, .channels = 8},
    {.digits = 4, .allMetrics = false, .maxName = 80, .samples = 8, .channels = 4},
    {.digits = 3, .allMetrics = false, .maxName = 32, .samples = 4, .channels = 2},
};

using Parts = std::map<std::string, std::string, std::less<>>;

// Replaces each {{part}} of the page; inserted text is not searched again.
std::string filled(std::string_view page, const Parts& parts) {
  std::string html;
  for (std::size_t open = page.find("{{"); open != std::string_view::npos; open = page.find("{{")) {
    const std::size_t close = page.find("}}", open);
    html += page.substr(0, open);
    html += parts.at(std::string(page.substr(open + 2, close - open - 2)));
    page.remove_prefix(close + 2);
  }
  return html + std::string(page);
}

std::string detailNote(const ReportDetail& detail, std::size_t left) {
  std::string note;
  if (left > 0) {
    note += "This page shows the " + grouped(kMaxLayers) + " worst layers; " + grouped(left) +
            " more are in report.json. ";
  }
  if (detail.digits > 0) {
    note += "Figures are rounded to " + std::to_string(detail.digits) +
            " digits to keep the page small; report.json has all of them.";
  }
  return note.empty() ? note : "<p class=\"quiet\">" + note + "</p>";
}

std::string page(const ReportSource& source, const Graph& graph, const ReportDetail& detail,
                 std::size_t left) {
  const AnalysisResult& result = source.result;
  const DetectorReport& detectors = source.detectors;
  std::string scripts(resources::report_js());
  scripts += resources::report_graph_js();
  scripts += resources::report_heatmap_js();
  scripts += resources::report_table_js();
  const std::string model = shortened(result.model, detail.maxName);
  const std::size_t nameInText = std::min<std::size_t>(detail.maxName, 120);
  return filled(
      resources::report_html(),
      {{"css", std::string(resources::report_css())},
       {"scripts", scripts},
       {"data", scriptJson(reportData(result, graph, detail))},
       {"model", escapeHtml(model)},
       {"scheme", escapeHtml(shortened(result.scheme, 400))},
       {"source", escapeHtml(shortened(result.data, 200))},
       {"calibration", escapeHtml(shortened(result.calibrationData, 200))},
       {"warning", syntheticWarning(result)},
       {"tiles", headlineTiles(source)},
       {"verdict", verdict(result, nameInText)},
       {"procedure", procedureList(procedureOf(result, &detectors, result.ladder, source.work))},
       {"detail", detailNote(detail, left)},
       {"findings", findingsHtml(detectors, result, nameInText)},
       {"legend", legend()},
       {"cards", worstLayerCards(result, nameInText)},
       {"outputs", outputTable(result, nameInText)},
       {"notices", noticeList(result, detail.maxName)},
       {"not computed", notComputedTable(result, detail.maxName)},
       {"sensitivities", sectionHtml(sensitivitySection(result), "sensitivities")},
       {"cost", sectionHtml(costSection(result.summary, source.cost), "cost")},
       {"origin", sectionHtml(originSection(source), "origin")},
       {"configuration", configurationText(source.config)},
       {"history", historyList(source.work.edits, detail.maxName)},
       {"glossary", glossary()}});
}

double worstSqnr(const LayerResult& layer) {
  double worst = std::numeric_limits<double>::infinity();
  for (const auto* error : {&layer.local, &layer.accumulated}) {
    if (*error && (*error)->total.sqnrDb) worst = std::min(worst, *(*error)->total.sqnrDb);
  }
  return worst;
}

// The worst layers, still in execution order.
AnalysisResult reduced(const AnalysisResult& result) {
  std::vector<std::size_t> order(result.layers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return worstSqnr(result.layers[i]); });
  order.resize(kMaxLayers);
  std::ranges::sort(order);
  AnalysisResult smaller = result;
  smaller.layers.clear();
  for (const std::size_t i : order) smaller.layers.push_back(result.layers[i]);
  return smaller;
}

}  // namespace

std::string reportHtml(const ReportSource& source, const Graph& graph) {
  const std::size_t layers = source.result.layers.size();
  if (layers > kMaxLayers) {
    const AnalysisResult smaller = reduced(source.result);
    const ReportSource worst{.result = smaller,
                             .config = source.config,
                             .detectors = source.detectors,
                             .program = source.program,
                             .batch = source.batch,
                             .work = source.work,
                             .cost = source.cost,
                             .original = source.original};
    return page(worst, graph, std::end(kDetails)[-2], layers - kMaxLayers);
  }
  std::string html;
  for (const ReportDetail& detail : kDetails) {
    html = page(source, graph, detail, 0);
    if (html.size() <= kMaxBytes) break;
  }
  return html;
}

}  // namespace quantscope
