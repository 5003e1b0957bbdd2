#include "jobs/analysis/map_errors.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "export/json/json_number.h"
#include "jobs/quantize_model.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

std::size_t layerNamed(const LoadedModel& model, const QuantizedModel& quantized,
                       const std::string& name) {
  const NodeId node = model.graph->findNode(name);
  for (std::size_t i = 0; node.valid() && i < quantized.layers.size(); ++i) {
    const std::vector<NodeId>& members = quantized.layers[i].layer.members;
    if (std::ranges::find(members, node) != members.end()) return i;
  }
  throw Error(ErrorCode::InvalidParameters, "the model has no layer '" + name + "'",
              {.file = model.file.string(), .node = {}, .value = {}},
              "`inspect` lists the nodes with their names");
}

template <class Number>
Json rowsOf(const std::vector<Number>& values, std::size_t width) {
  Json rows = Json::array();
  for (std::size_t first = 0; first < values.size(); first += width) {
    Json row = Json::array();
    for (std::size_t i = first; i < first + width; ++i)
      row.push_back(jsonNumber(static_cast<double>(values[i])));
    rows.push_back(std::move(row));
  }
  return rows;
}

const char* nameOf(MapKind kind) {
  return kind == MapKind::Local ? "local" : "accumulated";
}

Json pixelJson(const PixelMap& map, const MapRequest::Place& place) {
  return {{"sample", place.sample},
          {"channel", place.channel},
          {"height", map.height},
          {"width", map.width},
          {"float", rowsOf(map.expected, map.width)},
          {"quantized", rowsOf(map.actual, map.width)}};
}

}  // namespace

MappedErrors mapErrors(const LoadedModel& model, const Configuration& config, SampleSet& samples,
                       SampleSet& calibration, const MapRequest& request, AnalysisMemory& memory,
                       JobContext& job) {
  const CalibratedModel calibrated =
      calibrateAndQuantize(model, config, calibration, request.batch, job);
  const std::size_t layer = layerNamed(model, calibrated.model, request.layer);
  const ChannelMap map =
      measureChannelMap(*model.engine, calibrated.model, samples, layer, request.kind, memory, job);
  if (map.samples == 0) {
    throw Error(ErrorCode::InvalidParameters,
                std::string("the layer has no ") + nameOf(request.kind) + " error",
                {.file = {}, .node = request.layer, .value = {}},
                "choose a layer that is quantized and computed");
  }
  Json json{{"layer", request.layer},
            {"kind", nameOf(request.kind)},
            {"channels", map.channels},
            {"samples", map.samples},
            {"synthetic", samples.synthetic() || calibration.synthetic()},
            {"sqnr_db", rowsOf(map.sqnrDb, map.samples)}};
  if (request.place) {
    const auto pixels =
        measurePixelMap(*model.engine, calibrated.model, samples, layer, request.kind,
                        request.place->sample, request.place->channel, memory, job);
    json["pixels"] = pixels ? pixelJson(*pixels, *request.place) : Json();
  }
  return {json.dump() + "\n", calibrated.model.notices};
}

}  // namespace quantscope
