#include "export/json/calibration_json.h"

#include <map>
#include <nlohmann/json.hpp>

#include "calibration/observers/clipped_count.h"
#include "precision/backend/backend.h"
#include "precision/parameters/group_params.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

// A precision that asks for a grid, and its key in the file.
using AskedPrecisions = std::map<std::string, TensorPrecision>;

std::string keyOf(const TensorPrecision& precision) {
  return std::string(name(precision.type)) + "/" + toString(precision.observer);
}

// A range set by hand belongs to the nodes it was set for, not to other values.
AskedPrecisions askedPrecisions(const PrecisionConfig& config) {
  AskedPrecisions asked;
  for (const NodePrecision* precision : config.allPrecisions()) {
    if (precision->float32) continue;
    for (const TensorPrecision* of : {&precision->activation, &precision->output}) {
      if (isQuantized(of->type) && !of->range) asked.emplace(keyOf(*of), *of);
    }
  }
  return asked;
}

Json paramsJson(const QuantParams& params, const Observation& observation) {
  Json scale = Json::array();
  Json zeroPoint = Json::array();
  for (const Grid& grid : params.grids) {
    scale.push_back(grid.scale);
    zeroPoint.push_back(grid.zeroPoint);
  }
  Json json{{"scale", std::move(scale)},
            {"zero_point", std::move(zeroPoint)},
            {"observed_min", observation.range.low},
            {"observed_max", observation.range.high}};
  const bool perTensor = params.grids.size() == 1 && params.axis < 0;
  json["clipped"] =
      perTensor ? Json(clippedCount(observation, params, params.grids.front())) : Json(nullptr);
  return json;
}

Json histogramJson(const Observation& observation) {
  const LinearBins bins = observation.linearBins();
  return {{"lo", bins.low}, {"width", bins.width}, {"counts", bins.counts}};
}

// Batches without a ratio give none.
Json ratiosJson(const ModelReport& report, TailStatistics ChannelReport::*tail) {
  Json ratios = Json::array();
  for (const ChannelReport& channel : report.channels) {
    const TailStatistics& statistics = channel.*tail;
    ratios.push_back(statistics.batches == 0 ? Json(nullptr) : Json(statistics.meanRatio()));
  }
  return ratios;
}

Json reportJson(const ModelReport& report) {
  Json constant = Json::array();
  Json kurtosis = Json::array();
  for (const ChannelReport& channel : report.channels) {
    constant.push_back(channel.constantBatches);
    kurtosis.push_back(channel.moments.m2 > 0 ? Json(channel.moments.kurtosis()) : Json(nullptr));
  }
  return {{"axis", report.axis},
          {"reference_quantile", report.referenceQuantile},
          {"upper_ratio", ratiosJson(report, &ChannelReport::upper)},
          {"lower_ratio", ratiosJson(report, &ChannelReport::lower)},
          {"kurtosis", std::move(kurtosis)},
          {"constant_batches", std::move(constant)}};
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
  json["overflows"] = {{"fp16", observation.float16Overflows},
                       {"bf16", observation.bfloat16Overflows}};
  json["kurtosis"] = observation.standardDeviation > 0 ? Json(observation.kurtosis) : Json(nullptr);
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
  json["batches"] = observation.batches;
  json["average_batch_range"] = observation.averageBatchRange;
  const ModelReport* report =
      hasChannels ? observation.modelReport(observation.channelAxis) : nullptr;
  json["channel_report"] = report != nullptr ? reportJson(*report) : Json(nullptr);
  return json;
}

}  // namespace

std::string calibrationJson(const Graph& graph, const Observations& observations,
                            const QuantizedModel& model, const PrecisionConfig& config,
                            bool synthetic, const JobContext& job) {
  std::vector<std::vector<std::size_t>> pointsOf(graph.values().size());
  for (std::size_t i = 0; i < model.groups.points.size(); ++i) {
    pointsOf[model.groups.points[i].value.at()].push_back(i);
  }
  const AskedPrecisions asked = askedPrecisions(config);
  const std::shared_ptr<const Backend> backend = findBackend(config.backend);
  Json json;
  json["samples"] = observations.samples();
  json["synthetic"] = synthetic;
  Json& values = json["values"] = Json::object();
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    const ValueId id(i);
    if (!observations.observed(id)) continue;
    job.throwIfCancelled();
    const Observation& observation = *observations.find(id);
    Json params = Json::object();
    for (const auto& [key, precision] : asked) {
      params[key] = paramsJson(ownParams(observation, precision, *backend, config.convention, &job),
                               observation);
    }
    for (const std::size_t point : pointsOf[i]) {
      const auto& group = model.groupParams[model.groups.points[point].group];
      if (group) {
        params[keyOf(model.groups.points[point].precision)] = paramsJson(*group, observation);
      }
    }
    Json value = valueJson(observation);
    value["params"] = std::move(params);
    values[graph.values()[i].name] = std::move(value);
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quantscope
