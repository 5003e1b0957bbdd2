#include "export/json/comparison_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "export/json/json_number.h"
#include "export/json/report_json.h"
#include "export/output_text.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListed = 5;         // on a terminal
constexpr std::size_t kReasonsListed = 2;  // likewise, of a layer
constexpr std::size_t kBodiesNamed = 3;

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

Json detectedJson(const ComparedLayer& layer) {
  Json reasons = Json::array();
  for (const DetectedReason& reason : layer.reasons) {
    reasons.push_back({{"detector", reason.detector},
                       {"severity", name(reason.severity)},
                       {"text", reason.text}});
  }
  return reasons;
}

Json skippedJson(const std::vector<SkippedBody>& bodies) {
  Json json = Json::array();
  for (const SkippedBody& body : bodies) {
    json.push_back({{"node", body.node},
                    {"op", body.op},
                    {"body", body.body},
                    {"nodes", body.nodes},
                    {"reason", body.reason}});
  }
  return json;
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
          {"weight_cosine", jsonNumber(layer.weightCosine)},
          {"findings", detectedJson(layer)}};
}

Json suspectJson(const ModelComparison& comparison, const Suspect& suspect) {
  const ComparedLayer& layer = comparison.layers[suspect.layer];
  return {{"float", layer.firstLayer},
          {"quantized", layer.secondLayer},
          {"reason", suspect.reason},
          {"score", jsonNumber(suspect.score)},
          {"findings", detectedJson(layer)},
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

// The most severe ones of the detectors on a layer, a line each.
std::string detectedText(const ComparedLayer& layer, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, layer.reasons.size()); ++i) {
    text += "    " + layer.reasons[i].detector + ": " + layer.reasons[i].text + "\n";
  }
  return text;
}

// One line for all bodies with the same reason.
std::string skippedText(const std::string& model, const std::vector<SkippedBody>& bodies) {
  std::map<std::string, std::vector<const SkippedBody*>> byReason;
  for (const SkippedBody& body : bodies) byReason[body.reason].push_back(&body);
  std::string text;
  for (const auto& [reason, skipped] : byReason) {
    std::size_t nodes = 0;
    std::string names;
    for (std::size_t i = 0; i < skipped.size(); ++i) {
      nodes += skipped[i]->nodes;
      if (i < kBodiesNamed) {
        names += (i == 0 ? "" : ", ") + skipped[i]->body + " of " + skipped[i]->node;
      }
    }
    if (skipped.size() > kBodiesNamed) names += ", …";
    text += "not looked into in " + model + ": " + counted(skipped.size(), "sub-graph") + " with " +
            counted(nodes, "node") + ", since " + reason + " (" + names + ")\n";
  }
  return text;
}

std::string onlyInText(const std::string& model, const std::vector<std::string>& outputs) {
  std::string text;
  for (const std::string& output : outputs) {
    text += "output '" + output + "' is only in " + model + ", and not compared\n";
  }
  return text;
}

std::string scoreText(const Suspect& suspect) {
  return std::isfinite(suspect.score) ? " (" + fixedNumber(suspect.score, 1) + " dB)" : "";
}

std::string suspectsText(const ModelComparison& comparison) {
  if (comparison.suspects.empty()) {
    return "no suspects: inputs, types and rounding explain the error of every layer" +
           std::string(comparison.unlikeOutputs.empty() ? "\n" : " that has a match\n");
  }
  std::string text = "suspects, the worst first:\n";
  for (std::size_t i = 0; i < std::min(kListed, comparison.suspects.size()); ++i) {
    const Suspect& suspect = comparison.suspects[i];
    const ComparedLayer& layer = comparison.layers[suspect.layer];
    text += "  " + layer.firstLayer +
            (layer.secondLayer == layer.firstLayer ? "" : " (" + layer.secondLayer + ")") + ": " +
            suspect.reason + scoreText(suspect) + "\n" + detectedText(layer, kReasonsListed);
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
    text += "  " + sqnrText(layers[i]->own->sqnrDb) + "  " + layers[i]->firstLayer + "\n" +
            detectedText(*layers[i], 1);
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
      {"findings_problem", comparison.notDetected.empty() ? Json() : Json(comparison.notDetected)},
      {"compression_ratio", jsonNumber(headline.compressionRatio())},
      {"bytes", {{"float", headline.firstBytes}, {"quantized", headline.secondBytes}}}};
  Json& matched = json["matched"] = Json::array();
  for (const ComparedLayer& layer : comparison.layers) matched.push_back(layerJson(layer));
  json["unmatched"] = {{"float", comparison.firstUnmatched},
                       {"quantized", comparison.secondUnmatched}};
  json["not_compared"] = {{"float", skippedJson(comparison.firstSkipped)},
                          {"quantized", skippedJson(comparison.secondSkipped)}};
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
  json["unlike_outputs"] = comparison.unlikeOutputs;
  json["unmatched_outputs"] = {{"float", comparison.firstOutputsOnly},
                               {"quantized", comparison.secondOutputsOnly}};
  return json;
}

std::string comparisonText(const ModelComparison& comparison, const ComparisonHeadline& headline) {
  std::string text =
      comparison.first + " and " + comparison.second + ", " +
      counted(comparison.samples, comparison.synthetic ? "SYNTHETIC sample" : "sample") + "\n";
  for (const OutputResult& output : comparison.outputs) text += outputText(output);
  for (const std::string& output : comparison.unlikeOutputs) {
    text += "output '" + output + "' is not the same value in both models\n";
  }
  text += onlyInText(comparison.first, comparison.firstOutputsOnly) +
          onlyInText(comparison.second, comparison.secondOutputsOnly);
  if (headline.compressionRatio()) {
    text += "size: " + byteSize(static_cast<double>(headline.firstBytes)) + " -> " +
            byteSize(static_cast<double>(headline.secondBytes)) + "\n";
  }
  text += "time of a sample: " + latencyText(headline) + "\n";
  text += counted(comparison.layers.size(), "value") + " matched, " +
          std::to_string(comparison.firstUnmatched.size()) + " and " +
          std::to_string(comparison.secondUnmatched.size()) + " not" +
          (comparison.rearranged == 0
               ? ""
               : ", of which " + std::to_string(comparison.rearranged) + " only move elements") +
          "\n";
  text += skippedText(comparison.first, comparison.firstSkipped) +
          skippedText(comparison.second, comparison.secondSkipped);
  if (!comparison.notDetected.empty()) {
    text += "no detector has looked at the layers: " + comparison.notDetected + "\n";
  }
  return text + suspectsText(comparison) + worstText(comparison);
}

std::string dumpsText(const ModelComparison& comparison) {
  std::string text =
      comparison.first + " and the dumps in " + comparison.second + ", " +
      counted(comparison.samples, comparison.synthetic ? "SYNTHETIC sample" : "sample") + "\n";
  text += counted(comparison.layers.size(), "value") + " compared, " +
          std::to_string(comparison.firstUnmatched.size()) + " not dumped, " +
          std::to_string(comparison.secondUnmatched.size()) + " unknown\n";
  for (const OutputResult& output : comparison.outputs) text += outputText(output);
  text += onlyInText(comparison.first, comparison.firstOutputsOnly);
  if (!comparison.firstLeaving) return text + "every value follows the simulation\n";
  const ComparedLayer& layer = comparison.layers[*comparison.firstLeaving];
  text += "the first value that leaves the simulation: " + layer.firstValue + ", of " +
          layer.firstLayer + "\n";
  return text + suspectsText(comparison);
}

}  // namespace quantscope
