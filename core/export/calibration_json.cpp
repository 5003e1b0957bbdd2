#include "export/calibration_json.h"

#include <nlohmann/json.hpp>

#include "calibration/observed_magnitudes.h"
#include "calibration/observed_range.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

Json paramsJson(const QuantParams& params, const Range& observed) {
  Json scale = Json::array();
  Json zeroPoint = Json::array();
  for (const Grid& grid : params.grids) {
    scale.push_back(grid.scale);
    zeroPoint.push_back(grid.zeroPoint);
  }
  return {{"scale", std::move(scale)},
          {"zero_point", std::move(zeroPoint)},
          {"observed_min", observed.low},
          {"observed_max", observed.high}};
}

std::string keyOf(const TensorPrecision& precision) {
  return std::string(name(precision.type)) + "/" + toString(precision.observer);
}

QuantParams defaultParams(const PrecisionConfig& config, const Observation& observation) {
  const TensorPrecision& precision = config.defaults.activation;
  QuantParams params;
  params.type = precision.type;
  params.qmin = lowestCode(precision.type);
  params.qmax = highestCode(precision.type);
  params.symmetric = precision.symmetric;
  params.convention = config.convention;
  if (isSignCode(params.type)) {
    params.grids = {magnitudeGrid(params.type, observation.logLinear, observation.range)};
    return params;
  }
  const Range range = computeRange(observation, precision.observer, params);
  params.grids = {gridFromRange(range, params)};
  return params;
}

Json histogramJson(const Observation& observation) {
  const LinearBins bins = observation.linearBins();
  return {{"lo", bins.low}, {"width", bins.width}, {"counts", bins.counts}};
}

Json valueJson(const Observation& observation) {
  Json json;
  json["min"] = observation.range.low;
  json["max"] = observation.range.high;
  json["mean"] = observation.mean;
  json["std"] = observation.standardDeviation;
  json["absmax"] = observation.absmax();
  json["count"] = observation.count;
  json["non_finite"] = observation.nonFinite;
  const bool hasChannels = observation.channelAxis >= 0;
  json["channel_axis"] = hasChannels ? Json(observation.channelAxis) : Json(nullptr);
  Json low = Json::array();
  Json high = Json::array();
  for (const Range& channel : observation.channels) {
    low.push_back(channel.empty ? Json(nullptr) : Json(channel.low));
    high.push_back(channel.empty ? Json(nullptr) : Json(channel.high));
  }
  json["channel_min"] = std::move(low);
  json["channel_max"] = std::move(high);
  json["histogram"] = histogramJson(observation);
  json["batch_to_epoch"] =
      observation.batchToEpoch ? Json(*observation.batchToEpoch) : Json(nullptr);
  return json;
}

}  // namespace

std::string calibrationJson(const Graph& graph, const Observations& observations,
                            const QuantizedModel& model, const PrecisionConfig& config) {
  std::vector<std::vector<std::size_t>> pointsOf(graph.values().size());
  for (std::size_t i = 0; i < model.groups.points.size(); ++i) {
    pointsOf[model.groups.points[i].value.at()].push_back(i);
  }
  Json json;
  json["samples"] = observations.samples();
  Json& values = json["values"] = Json::object();
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    const ValueId id(i);
    if (!observations.observed(id)) continue;
    const Observation& observation = *observations.find(id);
    Json params = Json::object();
    for (const std::size_t point : pointsOf[i]) {
      const auto& group = model.groupParams[model.groups.points[point].group];
      if (group)
        params[keyOf(model.groups.points[point].precision)] = paramsJson(*group, observation.range);
    }
    const TensorPrecision& activation = config.defaults.activation;
    if (params.empty() && !config.defaults.float32 && isQuantized(activation.type)) {
      params[keyOf(activation)] = paramsJson(defaultParams(config, observation), observation.range);
    }
    Json value = valueJson(observation);
    value["params"] = std::move(params);
    values[graph.values()[i].name] = std::move(value);
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quantscope
