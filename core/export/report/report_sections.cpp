#include "export/report/report_sections.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "export/layer_words.h"
#include "export/metric_catalogue.h"
#include "export/pictures/colour_map.h"
#include "export/pictures/heat_table.h"
#include "export/report/headline.h"
#include "export/report/html_text.h"
#include "export/worst_layers.h"

namespace quantscope {
namespace {

// Longer tables are cut.
constexpr std::size_t kMostRows = 200;

std::string element(const char* tag, const std::string& text) {
  return std::string("<") + tag + ">" + escapeHtml(text) + "</" + tag + ">";
}

std::string tile(const HeadlineFigure& figure) {
  std::string html = std::string("<div class=\"tile\" title=\"") + figure.definition + "\"><dt>" +
                     figure.title + "</dt><dd>";
  if (figure.sqnrDb) {
    html += "<span class=\"dot\" style=\"background:" + hexText(errorColour(*figure.sqnrDb)) +
            "\"></span>";
  }
  for (const FigurePart& part : figure.parts) {
    html += part.small ? element("small", part.text) : escapeHtml(part.text);
  }
  html += "</dd>";
  if (!figure.note.empty()) html += "<dd class=\"note\">" + escapeHtml(figure.note) + "</dd>";
  return html + "</div>";
}

struct Band {
  const char* title;
  double from;  // dB, inclusive
  double colour;
};

constexpr std::array<Band, 5> kBands{{{"50 dB and better", 50, 55},
                                      {"40 to 50 dB", 40, 45},
                                      {"30 to 40 dB", 30, 35},
                                      {"20 to 30 dB", 20, 25},
                                      {"under 20 dB", -1e300, 12}}};

std::array<std::size_t, kBands.size()> countBands(const AnalysisResult& result,
                                                  HeatCell (*cellOf)(const LayerResult&)) {
  std::array<std::size_t, kBands.size()> counts{};
  for (const LayerResult& layer : result.layers) {
    const HeatCell cell = cellOf(layer);
    if (cell.kind != HeatCell::Kind::Value || layer.dataMover) continue;
    std::size_t band = 0;
    while (band + 1 < kBands.size() && cell.sqnrDb < kBands[band].from) ++band;
    ++counts[band];
  }
  return counts;
}

std::string bandBar(const char* title, const AnalysisResult& result,
                    HeatCell (*cellOf)(const LayerResult&)) {
  const auto counts = countBands(result, cellOf);
  std::string html = std::string("<div class=\"bands\"><span class=\"label\">") + title +
                     "</span><span class=\"bar\">";
  for (std::size_t i = 0; i < kBands.size(); ++i) {
    if (counts[i] == 0) continue;
    const Colour colour = errorColour(kBands[i].colour);
    html += "<span style=\"flex-grow:" + std::to_string(counts[i]);
    html += ";background:" + hexText(colour) + ";color:" + hexText(textColourOn(colour));
    html += "\" title=\"" + grouped(counts[i]) + (counts[i] == 1 ? " layer, " : " layers, ");
    html += std::string(kBands[i].title) + "\">" + grouped(counts[i]) + "</span>";
  }
  return html + "</span></div>";
}

std::string worstSentence(const AnalysisResult& result, std::size_t maxName, const char* words,
                          std::optional<LayerError> LayerResult::*error) {
  const std::vector<std::size_t> worst = worstLayers(result, error, 1);
  if (worst.empty()) return {};
  const LayerResult& layer = result.layers[worst[0]];
  const std::string cause =
      error == &LayerResult::local && layer.budget ? largestPart(*layer.budget) : std::string();
  return std::string("<p>") + words + " " + layerLink(result, worst[0], maxName) + " " +
         sqnrChip(layer.*error) + (cause.empty() ? "" : ", from " + cause) + "</p>";
}

std::string ladderSentence(const AnalysisResult& result, std::size_t maxName) {
  if (result.ladder.empty()) return {};
  const LadderStep& step = result.ladder.front();
  return "<p>Output " + escapeHtml(shortened(step.value, maxName)) + ": " + ladderWords(step) +
         ".</p>";
}

std::string figureCell(const std::optional<double>& value) {
  if (!value) return "<td class=\"number\">–</td>";
  return "<td class=\"number\" title=\"" + exactNumber(*value) + "\">" + shortNumber(*value) +
         "</td>";
}

}  // namespace

std::string headlineTiles(const ReportSource& source) {
  std::string html;
  for (const HeadlineFigure& figure :
       headlineFigures(source.result, source.cost, source.original)) {
    html += tile(figure);
  }
  return html;
}

std::string syntheticWarning(const AnalysisResult& result) {
  if (!result.synthetic) return {};
  return "<p class=\"warning\" role=\"note\"><strong>Synthetic data.</strong> The samples are "
         "random "
         "numbers: the errors below say little about real inputs. Run again with real samples.</p>";
}

std::string verdict(const AnalysisResult& result, std::size_t maxName) {
  std::string html =
      worstSentence(result, maxName, "Largest error of its own:", &LayerResult::local);
  html += worstSentence(result, maxName,
                        "Largest error where it has built up:", &LayerResult::accumulated);
  html += ladderSentence(result, maxName);
  if (html.empty()) html = "<p>No layer has an error that could be computed.</p>";
  return "<div>" + html + "</div><div>" + bandBar("Layers by local SQNR", result, localCell) +
         bandBar("Layers by accumulated SQNR", result, accumulatedCell) + "</div>";
}

std::string procedureList(const std::vector<ProcedureStep>& steps) {
  std::string html = "<section id=\"procedure\"><h2>Procedure</h2><ol class=\"steps panel\">";
  for (const ProcedureStep& step : steps) {
    html += std::string("<li class=\"") + (step.done ? "done" : "open") + "\"><strong>" +
            step.title + "</strong> " + element("span", step.sentence) +
            (step.done ? "" : "<small>open</small>") + "</li>";
  }
  return html + "</ol></section>";
}

std::string historyList(const std::vector<std::string>& edits, std::size_t maxName) {
  if (edits.empty()) return {};
  const std::size_t rows = std::min(edits.size(), kMostRows);
  std::string html = "<h2 id=\"history\">History</h2><ol>";
  for (std::size_t i = 0; i < rows; ++i) html += element("li", shortened(edits[i], 2 * maxName));
  html += "</ol>";
  if (rows < edits.size()) {
    html += "<p class=\"quiet\">and " + grouped(edits.size() - rows) + " more</p>";
  }
  return html;
}

std::string sectionHtml(const ReportSection& section, const char* id) {
  if (!section.columns.empty() && section.rows.empty()) return {};
  std::string html = "<h2 id=\"" + std::string(id) + "\">" + escapeHtml(section.title) + "</h2>";
  for (const std::string& sentence : section.sentences) html += element("p", sentence);
  html += "<div class=\"scroll\"><table><thead><tr>";
  for (const std::string& column : section.columns) html += element("th", column);
  html += "</tr></thead><tbody>";
  for (const std::vector<std::string>& row : section.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += element("td", cell);
    html += "</tr>";
  }
  return html + "</tbody></table></div>";
}

std::string outputTable(const AnalysisResult& result, std::size_t maxName) {
  if (result.outputs.size() < 2) return {};
  std::string html =
      "<h2>Outputs</h2><div class=\"scroll\"><table><thead><tr><th>Output</th>"
      "<th class=\"number\">SQNR, dB</th><th class=\"number\">Cosine</th>"
      "<th class=\"number\">KL, nats</th><th class=\"number\">Top-1 agreement</th></tr></thead>"
      "<tbody>";
  for (std::size_t i = 0; i < std::min(result.outputs.size(), kMostRows); ++i) {
    const OutputResult& output = result.outputs[i];
    html += "<tr>" + element("td", shortened(output.value, maxName));
    html += figureCell(output.error.sqnrDb) + figureCell(output.error.cosine);
    html += figureCell(output.kl) + figureCell(output.top1Agreement) + "</tr>";
  }
  return html + "</tbody></table></div>";
}

std::string noticeList(const AnalysisResult& result, std::size_t maxName) {
  if (result.notices.empty()) return {};
  std::string html = "<h2 id=\"notices\">Notices</h2><ul>";
  const std::size_t rows = std::min(result.notices.size(), kMostRows);
  for (std::size_t i = 0; i < rows; ++i) {
    html += element("li", shortened(result.notices[i], 4 * maxName));
  }
  html += "</ul>";
  if (rows < result.notices.size()) {
    html += "<p class=\"quiet\">and " + grouped(result.notices.size() - rows) +
            " more in report.json</p>";
  }
  return html;
}

std::string notComputedTable(const AnalysisResult& result, std::size_t maxName) {
  if (result.notComputed.empty()) return {};
  std::string html =
      "<h2 id=\"not-computed\">Not computed</h2><div class=\"scroll\"><table><thead><tr>"
      "<th>Node</th><th>Operator</th><th>Domain</th><th class=\"number\">Version</th>"
      "<th>Reason</th></tr></thead><tbody>";
  const std::size_t rows = std::min(result.notComputed.size(), kMostRows);
  for (std::size_t i = 0; i < rows; ++i) {
    const NotComputed& missing = result.notComputed[i];
    html += "<tr>" + element("td", shortened(missing.node, maxName));
    html += element("td", shortened(missing.op, maxName));
    html += element("td", missing.domain.empty() ? "ai.onnx" : shortened(missing.domain, maxName));
    html += "<td class=\"number\">" +
            (missing.version > 0 ? std::to_string(missing.version) : std::string("–")) + "</td>";
    html += element("td", shortened(missing.reason, maxName)) + "</tr>";
  }
  html += "</tbody></table></div>";
  if (rows < result.notComputed.size()) {
    html += "<p class=\"quiet\">and " + grouped(result.notComputed.size() - rows) +
            " more in report.json</p>";
  }
  return html;
}

std::string configurationText(const Configuration& config) {
  using Json = nlohmann::ordered_json;
  constexpr std::size_t kMaxBytes = 200'000;
  return escapeHtml(shortened(
      Json::parse(toJson(config)).dump(2, ' ', false, Json::error_handler_t::replace), kMaxBytes));
}

std::string glossary() {
  std::string html =
      "<dt>Local error</dt><dd>Only this layer is quantized and its inputs are the float ones: "
      "what "
      "the layer does wrong by itself.</dd>"
      "<dt>Accumulated error</dt><dd>The whole network is quantized: what has built up at this "
      "layer's output since the input.</dd>"
      "<dt>Layer</dt><dd>A node of the model, or a pattern such as Conv + BN + ReLU that the "
      "backend computes as one; inside it nothing is quantized. It is named by its first node."
      "</dd>"
      "<dt>Not quantized</dt><dd>Left in float by the backend or the configuration, or an operator "
      "that only moves data and shares its input's parameters: no error of its own.</dd>"
      "<dt>Clipped</dt><dd>Share of the float values that lie outside of what the output's grid "
      "can "
      "represent; they are set to its nearest end.</dd>";
  for (const MetricDescription& metric : metricCatalogue()) {
    html += element("dt", metric.title) + element("dd", metric.definition);
  }
  return html;
}

std::string legend() {
  std::string gradient;
  for (const Colour colour : errorRamp()) {
    gradient += (gradient.empty() ? "" : ",") + hexText(colour);
  }
  std::string html =
      "<div class=\"legend\" role=\"img\" aria-label=\"Colour scale: SQNR from 50 dB, "
      "calm, to 10 dB, hot\"><span class=\"scale\"><span class=\"ramp\" "
      "style=\"background:linear-gradient(to right," +
      gradient + ")\"></span><span class=\"ticks\">";
  for (const double anchor : kErrorAnchorsDb) {
    html += "<span>" + fixedNumber(anchor, 0) + "</span>";
  }
  return html +
         "</span></span><span>dB SQNR</span><span class=\"swatch hatched\"></span><span>not "
         "quantized</span><span class=\"swatch dotted\"></span><span>not computed</span></div>";
}

}  // namespace quantscope
