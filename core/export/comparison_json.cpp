#include "export/comparison_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "export/json_number.h"
#include "export/number_text.h"
#include "export/output_text.h"
#include "export/report_json.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListed = 5;  // on a terminal

Json rangeJson(const std::optional<Range>& range) {
  if (!range) return nullptr;
  return {jsonNumber(range->low), jsonNumber(range->high)};
}

Json gridJson(const ComparedGrid& grid) {
  if (grid.bits == 0) return nullptr;
  Json scales = Json::array();
  for (const float scale : grid.scales) scales.push_back(jsonNumber(scale));
  return {{"bits", grid.bits}, {"scale", std::move(scales)}, {"zero_point", grid.zeroPoints}};
}

Json layerJson(const ComparedLayer& layer) {
  return {{"float", layer.firstValue},
          {"quantized", layer.secondValue},
          {"confidence", jsonNumber(layer.confidence)},
          {"how", layer.how},
          {"sqnr_db", jsonNumber(layer.error.sqnrDb)},
          {"cosine", jsonNumber(layer.error.cosine)},
          {"max_abs", jsonNumber(layer.error.maxAbs)},
          {"own_sqnr_db", layer.own ? jsonNumber(layer.own->sqnrDb) : Json()},
          {"excess_db", jsonNumber(layer.excessDb)},
          {"layer", {{"float", layer.firstLayer}, {"quantized", layer.secondLayer}}},
          {"range",
           {{"float", rangeJson(layer.firstRange)}, {"quantized", rangeJson(layer.secondRange)}}},
          {"output", gridJson(layer.output)},
          {"weight", gridJson(layer.weight)},
          {"weight_cosine", jsonNumber(layer.weightCosine)}};
}

Json suspectJson(const ModelComparison& comparison, const Suspect& suspect) {
  const ComparedLayer& layer = comparison.layers[suspect.layer];
  return {{"float", layer.firstLayer},
          {"quantized", layer.secondLayer},
          {"reason", suspect.reason},
          {"score", jsonNumber(suspect.score)},
          {"values", {{"float", layer.firstValue}, {"quantized", layer.secondValue}}}};
}

Json latencyJson(const ComparisonHeadline& headline) {
  if (!headline.latency) return nullptr;
  const ModelLatency& latency = *headline.latency;
  return {{"float_ms", jsonNumber(latency.firstMs)},
          {"quantized_ms", jsonNumber(latency.secondMs)},
          {"source", latency.estimated() ? "cost table (estimate)" : "onnxruntime"},
          {"runtime", latency.estimated() ? Json() : Json(latency.runtime)},
          {"estimated", latency.estimated()}};
}

std::string suspectsText(const ModelComparison& comparison) {
  if (comparison.suspects.empty()) {
    return "no suspects: inputs, types and rounding explain the error of every layer\n";
  }
  std::string text = "suspects, the worst first:\n";
  for (std::size_t i = 0; i < std::min(kListed, comparison.suspects.size()); ++i) {
    const Suspect& suspect = comparison.suspects[i];
    const ComparedLayer& layer = comparison.layers[suspect.layer];
    text += "  " + layer.firstLayer +
            (layer.secondLayer == layer.firstLayer ? "" : " (" + layer.secondLayer + ")") + ": " +
            suspect.reason + " (" + fixedNumber(suspect.score, 1) + " dB)\n";
  }
  if (comparison.suspects.size() > kListed) {
    text += "  … and " + std::to_string(comparison.suspects.size() - kListed) + " more\n";
  }
  return text;
}

std::string worstText(const ModelComparison& comparison) {
  std::vector<const ComparedLayer*> layers;
  for (const ComparedLayer& layer : comparison.layers) {
    if (layer.own && layer.own->sqnrDb) layers.push_back(&layer);
  }
  std::ranges::stable_sort(layers, {},
                           [](const ComparedLayer* layer) { return *layer->own->sqnrDb; });
  if (layers.empty()) return "";
  std::string text = "worst layers on the float model's values:\n";
  for (std::size_t i = 0; i < std::min(kListed, layers.size()); ++i) {
    text += "  " + decibelsText(layers[i]->own->sqnrDb) + "  " + layers[i]->firstLayer + "\n";
  }
  return text;
}

}  // namespace

std::optional<double> ComparisonHeadline::speedup() const {
  if (!latency || !(latency->secondMs > 0)) return std::nullopt;
  return latency->firstMs / latency->secondMs;
}

std::optional<double> ComparisonHeadline::compressionRatio() const {
  if (secondBytes == 0 || firstBytes == 0) return std::nullopt;
  return static_cast<double>(firstBytes) / static_cast<double>(secondBytes);
}

std::string latencyText(const ComparisonHeadline& headline) {
  if (!headline.latency) return "not known, " + headline.latencyProblem;
  const ModelLatency& latency = *headline.latency;
  std::string text =
      shortNumber(latency.firstMs) + " ms -> " + shortNumber(latency.secondMs) + " ms, ";
  if (!latency.estimated()) return text + "measured by " + latency.runtime;
  return text + "an estimate from the cost table, since " + headline.latencyProblem;
}

ComparisonHeadline headlineOf(const ModelComparison& comparison) {
  ComparisonHeadline headline;
  for (const OutputResult& output : comparison.outputs) {
    if (output.accuracyFloat && output.accuracyQuantized) {
      headline.accuracyDrop = *output.accuracyFloat - *output.accuracyQuantized;
      headline.fromLabels = true;
      return headline;
    }
  }
  for (const OutputResult& output : comparison.outputs) {
    if (!output.top1Agreement) continue;
    headline.accuracyDrop = 1 - *output.top1Agreement;
    break;
  }
  return headline;
}

Json comparisonJson(const ModelComparison& comparison, const ComparisonHeadline& headline) {
  Json json{
      {"quantscope", 1},
      {"float", comparison.first},
      {"quantized", comparison.second},
      {"samples", comparison.samples},
      {"synthetic", comparison.synthetic},
      {"accuracy_drop", jsonNumber(headline.accuracyDrop)},
      {"accuracy_drop_of", !headline.accuracyDrop ? Json()
                           : headline.fromLabels  ? Json("accuracy")
                                                  : Json("top1_agreement")},
      {"speedup", jsonNumber(headline.speedup())},
      {"latency", latencyJson(headline)},
      {"latency_problem", headline.latencyProblem.empty() ? Json() : Json(headline.latencyProblem)},
      {"compression_ratio", jsonNumber(headline.compressionRatio())},
      {"bytes", {{"float", headline.firstBytes}, {"quantized", headline.secondBytes}}}};
  Json& matched = json["matched"] = Json::array();
  for (const ComparedLayer& layer : comparison.layers) matched.push_back(layerJson(layer));
  json["unmatched"] = {{"float", comparison.firstUnmatched},
                       {"quantized", comparison.secondUnmatched}};
  Json& suspects = json["suspects"] = Json::array();
  for (const Suspect& suspect : comparison.suspects) {
    suspects.push_back(suspectJson(comparison, suspect));
  }
  json["first_leaving"] = nullptr;
  if (comparison.firstLeaving) {
    const ComparedLayer& layer = comparison.layers[*comparison.firstLeaving];
    json["first_leaving"] = {{"value", layer.firstValue}, {"layer", layer.firstLayer}};
  }
  Json& outputs = json["outputs"] = Json::array();
  for (const OutputResult& output : comparison.outputs) outputs.push_back(outputJson(output));
  return json;
}

std::string comparisonText(const ModelComparison& comparison, const ComparisonHeadline& headline) {
  std::string text = comparison.first + " and " + comparison.second + ", " +
                     std::to_string(comparison.samples) +
                     (comparison.synthetic ? " SYNTHETIC samples\n" : " samples\n");
  for (const OutputResult& output : comparison.outputs) text += outputText(output);
  if (headline.compressionRatio()) {
    text += "size: " + byteSize(static_cast<double>(headline.firstBytes)) + " -> " +
            byteSize(static_cast<double>(headline.secondBytes)) + "\n";
  }
  text += "time of a sample: " + latencyText(headline) + "\n";
  text += counted(comparison.layers.size(), "value") + " matched, " +
          std::to_string(comparison.firstUnmatched.size()) + " and " +
          std::to_string(comparison.secondUnmatched.size()) + " not\n";
  return text + suspectsText(comparison) + worstText(comparison);
}

std::string dumpsText(const ModelComparison& comparison) {
  std::string text = comparison.first + " and the dumps in " + comparison.second + ", " +
                     std::to_string(comparison.samples) +
                     (comparison.synthetic ? " SYNTHETIC samples\n" : " samples\n");
  text += counted(comparison.layers.size(), "value") + " compared, " +
          std::to_string(comparison.firstUnmatched.size()) + " not dumped, " +
          std::to_string(comparison.secondUnmatched.size()) + " unknown\n";
  if (!comparison.firstLeaving) return text + "every value follows the simulation\n";
  const ComparedLayer& layer = comparison.layers[*comparison.firstLeaving];
  text += "the first value that leaves the simulation: " + layer.firstValue + ", of " +
          layer.firstLayer + "\n";
  return text + suspectsText(comparison);
}

}  // namespace quantscope
