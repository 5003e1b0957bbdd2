#include "export/json/report_json.h"

#include <nlohmann/json.hpp>

#include "export/json/findings_json.h"
#include "export/json/json_number.h"
#include "export/json/parameters_json.h"
#include "export/metric_catalogue.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

template <class Values>
Json numbers(const Values& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(jsonNumber(value));
  return list;
}

Json appliedType(const std::optional<AppliedType>& applied) {
  if (!applied) return nullptr;
  return {{"type", name(applied->type)},
          {"granularity", toString(applied->granularity)},
          {"symmetric", applied->symmetric},
          {"mode", applied->dynamic ? "dynamic" : "static"}};
}

Json layerError(const std::optional<LayerError>& error) {
  Json result = metricsJson(error ? error->total : ErrorMetrics{});
  result["count"] = error ? Json(error->total.count) : Json();
  result["non_finite"] = error ? Json(error->total.nonFinite) : Json();
  return result;
}

template <class Values>
Json perIndex(const LayerResult& layer, Values LayerError::*values) {
  const auto list = [&](const std::optional<LayerError>& error) {
    return error ? numbers((*error).*values) : Json::array();
  };
  return {{"local_sqnr_db", list(layer.local)}, {"accumulated_sqnr_db", list(layer.accumulated)}};
}

Json memberNames(const LayerResult& layer, const Graph& graph) {
  Json names = Json::array();
  for (const NodeId member : layer.members) names.push_back(graph[member].name);
  return names;
}

Json budgetJson(const std::optional<ErrorBudget>& budget) {
  if (!budget) return {};
  return {{"input", jsonNumber(budget->input)},       {"weight", jsonNumber(budget->weight)},
          {"bias", jsonNumber(budget->bias)},         {"output", jsonNumber(budget->output)},
          {"clipping", jsonNumber(budget->clipping)}, {"together", jsonNumber(budget->together)}};
}

Json layerJson(const LayerResult& layer, const Graph& graph) {
  Json json{{"node", layer.name},
            {"op", layer.op},
            {"scope", layer.scope},
            {"params", layer.parameters},
            {"fused", memberNames(layer, graph)},
            {"fused_ops", layer.fusedOps},
            {"output", layer.outputValue},
            {"channel_axis", layer.channelAxis < 0 ? Json() : Json(layer.channelAxis)},
            {"quantized", layer.quantized},
            {"data_mover", layer.dataMover},
            {"bias_overflows", layer.biasOverflows},
            {"weight", appliedType(layer.weight)},
            {"activation", appliedType(layer.activation)},
            {"output_type", appliedType(layer.output)},
            {"output_scale", jsonNumber(layer.outputScale)},
            {"observed_min", jsonNumber(layer.observedMin)},
            {"observed_max", jsonNumber(layer.observedMax)},
            {"representable_min", jsonNumber(layer.representableMin)},
            {"representable_max", jsonNumber(layer.representableMax)},
            {"clipped_share", jsonNumber(layer.clippedShare)},
            {"local", layerError(layer.local)},
            {"accumulated", layerError(layer.accumulated)},
            {"error_budget", budgetJson(layer.budget)},
            {"channels", perIndex(layer, &LayerError::channelSqnrDb)},
            {"samples", perIndex(layer, &LayerError::sampleSqnrDb)}};
  if (layer.contribution) json["contribution"] = layerError(layer.contribution);
  return json;
}

Json ladderJson(const std::vector<LadderStep>& ladder) {
  Json steps = Json::array();
  for (const LadderStep& step : ladder) {
    steps.push_back({{"value", step.value},
                     {"weights_only_db", jsonNumber(step.weightsOnlyDb)},
                     {"activations_only_db", jsonNumber(step.activationsOnlyDb)},
                     {"both_db", jsonNumber(step.bothDb)}});
  }
  return steps;
}

Json outputChangesJson(const std::vector<OutputChange>& outputs) {
  Json json = Json::array();
  for (const OutputChange& output : outputs) {
    json.push_back({{"output", output.output},
                    {"from_db", jsonNumber(output.fromDb)},
                    {"to_db", jsonNumber(output.toDb)},
                    {"from_top1_agreement", jsonNumber(output.fromTop1)},
                    {"to_top1_agreement", jsonNumber(output.toTop1)}});
  }
  return json;
}

Json nextJson(const NextChange& next) {
  return {{"edit", next.edit.sentence},
          {"node", next.node},
          {"from_db", jsonNumber(next.fromDb)},
          {"to_db", jsonNumber(next.toDb)},
          {"output", next.output},
          {"output_after", next.outputAfter},
          {"outputs", outputChangesJson(next.outputs)},
          {"bytes", next.bytes},
          {"steps", toJson(next.edit)["steps"]}};
}

Json acceptedJson(const AcceptedChanges& accepted) {
  Json layers = Json::array();
  for (const NodeChange& change : accepted.layers) {
    layers.push_back({{"node", change.node}, {"text", change.sentence()}});
  }
  return {{"changes", accepted.changes},
          {"layers", std::move(layers)},
          {"before_db", jsonNumber(accepted.beforeDb)},
          {"after_db", jsonNumber(accepted.afterDb)},
          {"outputs", outputChangesJson(accepted.outputs)},
          {"bytes", accepted.bytes},
          {"notices", accepted.notices}};
}

Json summaryJson(const QuantizationSummary& summary, const ModelCost& cost,
                 const ReportedChanges& changes) {
  Json nodesByType = Json::object();
  for (const auto& [type, count] : summary.nodesByType) nodesByType[type] = count;
  Json json{{"nodes_by_type", std::move(nodesByType)},
            {"quantized_nodes", summary.quantizedLayers},
            {"mean_compression", jsonNumber(summary.meanCompression)},
            {"true_compression", jsonNumber(summary.trueCompression)},
            {"memory_saved_bytes", jsonNumber(summary.memorySavedBytes)},
            {"memory_saved_percent", jsonNumber(summary.memorySavedPercent)},
            {"bytes", summary.quantizedBytes},
            {"float_bytes", summary.floatBytes},
            {"quantized_bytes", summary.quantizedBytes},
            {"calibration_samples", summary.calibrationSamples},
            {"macs_above_8_bits", jsonNumber(summary.macsAbove8Bits)},
            {"macs", jsonNumber(cost.macs)},
            {"mean_bits", jsonNumber(cost.meanBits)}};
  if (changes.nothingHelps) json["best_change"] = nullptr;
  if (changes.next != nullptr) json["best_change"] = nextJson(*changes.next);
  return json;
}

template <class Items, class Function>
Json listOf(const Items& items, Function&& toJson) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(toJson(item));
  return list;
}

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// One line per key and, in lists of objects, one per object: fit to be read, searched and compared.
std::string inLines(const Json& report) {
  std::string lines = "{";
  for (const auto& [key, value] : report.items()) {
    lines += (lines.size() > 1 ? ",\n" : "\n") + text(key) + ": ";
    if (!value.is_array() || value.empty()) {
      lines += text(value);
      continue;
    }
    const char* separator = "[\n  ";
    for (const Json& item : value) {
      lines += separator + text(item);
      separator = ",\n  ";
    }
    lines += "\n]";
  }
  return lines + "\n}\n";
}

}  // namespace

Json metricsJson(const ErrorMetrics& error) {
  Json result = Json::object();
  for (const MetricDescription& metric : metricCatalogue()) {
    result[metric.key] = jsonNumber(error.*metric.figure);
  }
  return result;
}

Json outputJson(const OutputResult& output) {
  Json result = Json::object();
  result["value"] = output.value;
  result.update(metricsJson(output.error));
  result["kl"] = jsonNumber(output.kl);
  result["top1_agreement"] = jsonNumber(output.top1Agreement);
  result["accuracy_float"] = jsonNumber(output.accuracyFloat);
  result["accuracy_quantized"] = jsonNumber(output.accuracyQuantized);
  result["labelled"] = output.labelled;
  result["sample_sqnr_db"] = numbers(output.sampleSqnrDb);
  return result;
}

std::string reportJson(const AnalysisResult& result, const Configuration& config,
                       const Graph& graph, const QuantizedModel& model, const ModelCost& cost,
                       const DetectorReport& detectors, const ReportedChanges& changes) {
  Json nodes = listOf(result.layers, [&](const auto& layer) { return layerJson(layer, graph); });
  if (!model.layers.empty()) {
    const RangeSources sources(graph, config, model);
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      nodes.at(i)["parameters"] = parametersJson(model, model.layers[i], graph, sources);
    }
  }
  Json report = {{"quantscope", 1},
                 {"model", result.model},
                 {"samples", result.samples},
                 {"synthetic", result.synthetic},
                 {"data", result.data},
                 {"calibration_data", result.calibrationData},
                 {"backend", result.backend},
                 {"scheme", result.scheme},
                 {"config", Json::parse(toJson(config))},
                 {"nodes", std::move(nodes)},
                 {"outputs", listOf(result.outputs, outputJson)},
                 {"ladder", ladderJson(result.ladder)},
                 {"summary", summaryJson(result.summary, cost, changes)},
                 {"not_computed", listOf(result.notComputed,
                                         [](const NotComputed& missing) -> Json {
                                           return {{"node", missing.node},
                                                   {"operator", missing.op},
                                                   {"domain", missing.domain},
                                                   {"version", missing.version},
                                                   {"reason", missing.reason}};
                                         })},
                 {"findings", findingsJson(detectors.findings, graph)},
                 {"detectors", detectorsJson(detectors)},
                 {"not_supported", listOf(result.notSupported,
                                          [](const NotSupported& entry) -> Json {
                                            return {{"node", entry.node},
                                                    {"asked", entry.asked},
                                                    {"nearest", entry.nearest},
                                                    {"reason", entry.reason}};
                                          })},
                 {"notices", result.notices}};
  if (!changes.against.empty()) report["against"] = changes.against;
  if (changes.accepted != nullptr) report["accepted"] = acceptedJson(*changes.accepted);
  return inLines(report);
}

}  // namespace quantscope
