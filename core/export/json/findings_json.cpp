#include "export/json/findings_json.h"

#include <nlohmann/json.hpp>

#include "export/json/json_number.h"
#include "precision/config/precision_json.h"
#include "repair/fitting_steps.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(jsonNumber(value));
  return list;
}

Json changesJson(const std::vector<ConfigChange>& changes) {
  Json nodes = Json::object();
  for (const ConfigChange& change : changes) {
    if (change.node.empty()) continue;
    Json& node = nodes[change.node] = Json::object();
    if (change.float32) node = "fp32";
    if (change.removesEntry) node = nullptr;
    if (change.float32 || change.removesEntry) continue;
    if (change.weight) node["weight"] = toJson(*change.weight, TensorRole::Weight);
    if (change.activation) node["activation"] = toJson(*change.activation, TensorRole::Activation);
    if (!change.inputFactors.empty()) node["equalize"] = numbers(change.inputFactors);
    if (change.output) node["output"] = toJson(*change.output, TensorRole::Output);
  }
  return nodes;
}

Json suggestionJson(const std::optional<Suggestion>& suggestion) {
  if (!suggestion) return nullptr;
  Json json{{"text", suggestion->text},
            {"changes", changesJson(suggestion->changes)},
            {"gain_db", jsonNumber(suggestion->gainDb)},
            {"bytes", jsonNumber(suggestion->bytes)}};
  for (const OutputGain& gain : suggestion->outputGains) {
    json["gain_db_by_output"][gain.output] = jsonNumber(gain.gainDb);
  }
  if (suggestion->gainEstimated) json["estimated"] = true;
  for (const ConfigChange& change : suggestion->changes) {
    if (change.bias) json["bias"] = name(*change.bias);
    for (const PointName& point : change.split) json["split"].push_back(toJson(point));
    for (const PointName& point : change.unmerge) json["unmerge"].push_back(toJson(point));
  }
  return json;
}

const char* name(Evidence evidence) {
  switch (evidence) {
    case Evidence::None:
      return nullptr;
    case Evidence::Histogram:
      return "histogram";
    case Evidence::ChannelRanges:
      return "channel_ranges";
    case Evidence::BatchRanges:
      return "batch_ranges";
    case Evidence::EqualizationRatios:
      return "equalization_ratios";
    case Evidence::OutlierRatios:
      return "outlier_ratios";
    case Evidence::LayerError:
      return "layer_error";
  }
  return nullptr;
}

Json membersJson(const Finding& finding, const Graph& graph) {
  Json names = Json::array();
  for (const NodeId member : finding.members) names.push_back(graph[member].name);
  return names;
}

Json memberChannelsJson(const Finding& finding, const Graph& graph) {
  Json json = Json::object();
  for (const auto& [node, channels] : finding.memberChannels) json[graph[node].name] = channels;
  return json;
}

Json findingJson(const Finding& finding, const Graph& graph) {
  const char* evidence = name(finding.evidence);
  return {{"id", finding.id},
          {"detector", finding.detector},
          {"node", finding.nodeName},
          {"members", membersJson(finding, graph)},
          {"value", finding.value.valid() ? Json(graph[finding.value].name) : Json()},
          {"channels", finding.channels},
          {"member_channels", memberChannelsJson(finding, graph)},
          {"statistic", jsonNumber(finding.statistic)},
          {"threshold", jsonNumber(finding.threshold)},
          {"severity", name(finding.severity)},
          {"confidence", jsonNumber(finding.confidence)},
          {"text", finding.text},
          {"why", finding.why},
          {"evidence", evidence != nullptr ? Json(evidence) : Json()},
          {"suggestion", suggestionJson(finding.suggestion)},
          {"repairs", fittingSteps(finding)}};
}

Json toJson(const PerChannelStatistics& statistics) {
  return {{"supported", statistics.supported}, {"used", statistics.used}};
}

Json toJson(const DynamicStaticStatistics& statistics) {
  return {{"input_s", jsonNumber(statistics.inputS)},
          {"output_s", jsonNumber(statistics.outputS)},
          {"dynamic_recommended", statistics.dynamicRecommended}};
}

Json toJson(const EqualizationStatistics& statistics) {
  return {{"s", numbers(statistics.s)},
          {"recommended", statistics.recommended},
          {"layer_recommended", statistics.layerRecommended}};
}

Json toJson(const OutlierStatistics& statistics) {
  return {{"ratio", numbers(statistics.ratio)},
          {"outlier", statistics.outlier},
          {"sufficient_batches", statistics.sufficientBatches},
          {"batches_used", statistics.batchesUsed},
          {"constant_batches", statistics.constantBatches}};
}

template <class Of>
Json byNode(const DetectorStatistics::ByNode<Of>& entries) {
  Json json = Json::object();
  for (const auto& [node, statistics] : entries) json[node] = toJson(statistics);
  return json;
}

}  // namespace

const char* name(DetectorMode mode) {
  return mode == DetectorMode::PyTorch ? "pytorch" : "quantscope";
}

nlohmann::ordered_json findingsJson(const std::vector<Finding>& findings, const Graph& graph) {
  Json list = Json::array();
  for (const Finding& finding : findings) list.push_back(findingJson(finding, graph));
  return list;
}

nlohmann::ordered_json detectorsJson(const DetectorReport& report) {
  return {{"mode", name(report.mode)},
          {"per_channel", byNode(report.statistics.perChannel)},
          {"dynamic_static", byNode(report.statistics.dynamicStatic)},
          {"equalization", byNode(report.statistics.equalization)},
          {"outlier", byNode(report.statistics.outlier)}};
}

}  // namespace quantscope
