#include "export/report/report_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "export/layer_words.h"
#include "export/metric_catalogue.h"
#include "export/pictures/colour_map.h"
#include "export/pictures/graph_picture.h"
#include "export/pictures/heat_table.h"
#include "export/report/html_text.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

double withDigits(double value, int digits) {
  if (digits == 0) return value;
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
  std::from_chars(buffer, end.ptr, value);
  return value;
}

Json figure(const std::optional<double>& value, int digits) {
  if (!value || std::isnan(*value)) return nullptr;
  if (std::isinf(*value)) return *value > 0 ? "inf" : "-inf";
  return withDigits(*value, digits);
}

template <class Function>
Json column(const AnalysisResult& result, Function&& cell) {
  Json list = Json::array();
  for (const LayerResult& layer : result.layers) list.push_back(cell(layer));
  return list;
}

// Texts that many layers share are stored once and referred to by number.
template <class Function>
Json sharedColumn(const AnalysisResult& result, Function&& text) {
  std::map<std::string, std::size_t> numbers;
  Json texts = Json::array();
  Json references = Json::array();
  for (const LayerResult& layer : result.layers) {
    const auto [entry, isNew] = numbers.emplace(text(layer), numbers.size());
    if (isNew) texts.push_back(entry->first);
    references.push_back(entry->second);
  }
  return {{"texts", std::move(texts)}, {"of", std::move(references)}};
}

bool isMainMetric(const MetricDescription& metric) {
  return metric.figure == &ErrorMetrics::sqnrDb || metric.figure == &ErrorMetrics::nmse ||
         metric.figure == &ErrorMetrics::cosine || metric.figure == &ErrorMetrics::rmseOverScale;
}

std::vector<MetricDescription> metricsOf(const ReportDetail& detail) {
  const auto all = metricCatalogue();
  std::vector<MetricDescription> metrics(all.begin(), all.end());
  if (!detail.allMetrics) std::erase_if(metrics, std::not_fn(isMainMetric));
  return metrics;
}

Json metricList(const ReportDetail& detail) {
  Json list = Json::array();
  for (const MetricDescription& metric : metricsOf(detail)) {
    list.push_back({{"key", metric.key},
                    {"title", metric.title},
                    {"unit", metric.unit},
                    {"definition", metric.definition}});
  }
  return list;
}

Json errorColumns(const AnalysisResult& result, const ReportDetail& detail,
                  std::optional<LayerError> LayerResult::*error) {
  Json columns = Json::object();
  for (const MetricDescription& metric : metricsOf(detail)) {
    columns[metric.key] = column(result, [&](const LayerResult& layer) {
      const std::optional<LayerError>& entry = layer.*error;
      return entry ? figure(entry->total.*metric.figure, detail.digits) : Json();
    });
  }
  return columns;
}

// Q quantized, M only moves data, F left in float.
std::string kindOf(const LayerResult& layer) {
  if (layer.quantized) return "Q";
  return layer.dataMover ? "M" : "F";
}

Json layerColumns(const AnalysisResult& result, const ReportDetail& detail) {
  const auto figures = [&](std::optional<double> LayerResult::*member) {
    return column(result,
                  [&](const LayerResult& layer) { return figure(layer.*member, detail.digits); });
  };
  const auto names = [&](std::string LayerResult::*member) {
    return column(result, [&](const LayerResult& layer) {
      return Json(shortened(layer.*member, detail.maxName));
    });
  };
  return {
      {"name", names(&LayerResult::name)},
      {"output", names(&LayerResult::outputValue)},
      {"ops", sharedColumn(result, [](const auto& layer) { return layerOps(layer); })},
      {"weight", sharedColumn(result, [](const auto& layer) { return typeWords(layer.weight); })},
      {"activation",
       sharedColumn(result, [](const auto& layer) { return typeWords(layer.activation); })},
      {"kind", column(result, [](const auto& layer) { return Json(kindOf(layer)); })},
      {"params", column(result, [](const auto& layer) { return Json(layer.parameters); })},
      {"scale", figures(&LayerResult::outputScale)},
      {"observedMin", figures(&LayerResult::observedMin)},
      {"observedMax", figures(&LayerResult::observedMax)},
      {"representableMin", figures(&LayerResult::representableMin)},
      {"representableMax", figures(&LayerResult::representableMax)},
      {"clipped", figures(&LayerResult::clippedShare)},
      {"local", errorColumns(result, detail, &LayerResult::local)},
      {"accumulated", errorColumns(result, detail, &LayerResult::accumulated)}};
}

// A cell as two letters: the digits, base 64, of 0 empty, 1 not quantized, 2 not computed, or
// 3 + 40 · (dB + 20) for −20 … 82 dB. More than enough for colours, and for a read-out of 0.1 dB.
std::string cellCode(HeatCell cell) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  auto code = static_cast<std::size_t>(cell.kind);
  if (cell.kind == HeatCell::Kind::Value) {
    const double steps = 40 * (std::clamp(cell.sqnrDb, -20.0, 82.0) + 20);
    code = 3 + static_cast<std::size_t>(std::lround(steps));
  }
  return {kDigits[code / 64], kDigits[code % 64]};
}

Json heatJson(const AnalysisResult& result, const ReportDetail& detail) {
  const HeatTable table = heatTable(result, detail.samples, detail.channels);
  Json groups = Json::array();
  for (const HeatGroup& group : table.groups) {
    groups.push_back({{"title", group.title}, {"note", group.note}, {"labels", group.labels}});
  }
  std::string cells;
  for (const std::vector<HeatCell>& row : table.rows) {
    for (const HeatCell cell : row) cells += cellCode(cell);
  }
  return {{"groups", std::move(groups)}, {"columns", table.columns}, {"cells", std::move(cells)}};
}

Json rampJson() {
  Json ramp = Json::array();
  for (const Colour colour : errorRamp()) ramp.push_back(hexText(colour));
  return ramp;
}

}  // namespace

Json reportData(const AnalysisResult& result, const Graph& graph, const ReportDetail& detail) {
  return {{"model", shortened(result.model, detail.maxName)},
          {"count", result.layers.size()},
          {"digits", detail.digits},
          {"anchors", kErrorAnchorsDb},
          {"ramp", rampJson()},
          {"metrics", metricList(detail)},
          {"layers", layerColumns(result, detail)},
          {"heat", heatJson(result, detail)},
          {"graph", graphPicture(result, graph, detail.maxName)}};
}

}  // namespace quantscope
