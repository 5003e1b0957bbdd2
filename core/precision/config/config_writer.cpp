#include <nlohmann/json.hpp>

#include "precision/config/configuration.h"
#include "precision/config/precision_json.h"

namespace quantscope {

using Json = nlohmann::ordered_json;

Json toJson(const TensorPrecision& precision, TensorRole role) {
  Json json;
  json["type"] = name(precision.type);
  json["symmetric"] = precision.symmetric;
  json["granularity"] = toString(precision.granularity);
  json["observer"] = toString(precision.observer);
  if (precision.lowest) json["qmin"] = *precision.lowest;
  if (precision.highest) json["qmax"] = *precision.highest;
  if (role != TensorRole::Weight) json["mode"] = precision.dynamic ? "dynamic" : "static";
  if (precision.range) json["range"] = {precision.range->low, precision.range->high};
  return json;
}

Json toJson(const NodePrecision& precision) {
  if (precision.float32) return "fp32";
  Json json;
  json["weight"] = toJson(precision.weight, TensorRole::Weight);
  json["activation"] = toJson(precision.activation, TensorRole::Activation);
  json["output"] = toJson(precision.output, TensorRole::Output);
  return json;
}

Json toJson(const DetectorThresholds& thresholds) {
  return {{"equalization_ratio", thresholds.equalizationRatio},
          {"outlier_ratio", thresholds.outlierRatio},
          {"reference_percentile", thresholds.referencePercentile},
          {"dynamic_tolerance", thresholds.dynamicTolerance},
          {"batches_used", thresholds.batchesUsed},
          {"channel_axis", thresholds.channelAxis}};
}

namespace {

Json toJson(const std::vector<std::pair<std::string, NodePrecision>>& entries) {
  Json json = Json::object();
  for (const auto& [name, precision] : entries) json[name] = toJson(precision);
  return json;
}

}  // namespace

std::string toJson(const Configuration& whole) {
  const PrecisionConfig& config = *whole.precision;
  Json json;
  json["quantscope"] = 1;
  json["backend"] = config.backend;
  json["convention"] = name(config.convention);
  if (config.bias) json["bias"] = name(*config.bias);
  if (config.calibrationSamples > 0) json["calibration_samples"] = config.calibrationSamples;
  if (*whole.detectors != DetectorThresholds()) json["detectors"] = toJson(*whole.detectors);
  json["default"] = toJson(config.defaults);
  if (!config.opTypes.empty()) json["op_types"] = toJson(config.opTypes);
  for (const PatternPrecision& pattern : config.patterns) {
    json["patterns"].push_back(
        {{"match", pattern.match.expression()}, {"use", toJson(pattern.use)}});
  }
  if (!config.nodes.empty()) json["nodes"] = toJson(config.nodes);
  if (!config.groups.empty()) json["groups"] = toJson(config.groups);
  if (!whole.encodings->empty()) json["encodings"] = toJson(*whole.encodings);
  if (!whole.repairs->empty()) json["repairs"] = toJson(*whole.repairs);
  // JSON cannot hold a name that is not UTF-8: what stands for it then is no node's.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quantscope
