#include "export/json/parameters_json.h"

#include <nlohmann/json.hpp>

#include "export/json/json_number.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

const char* name(ObserverSeat seat) {
  switch (seat) {
    case ObserverSeat::AtOutput:
      return "at-output";
    case ObserverSeat::OnEdge:
      return "on-edge";
    case ObserverSeat::ReusesOutput:
      return "reuses-output";
    case ObserverSeat::ReusesEdge:
      return "reuses-edge";
  }
  return "";
}

Json valueName(const Graph& graph, NodeId node, std::size_t input) {
  const std::vector<ValueId>& inputs = graph[node].inputs;
  const bool given = input < inputs.size() && inputs[input].valid();
  return given ? Json(graph[inputs[input]].name) : Json(nullptr);  // folding brought it in
}

void addGrids(const QuantParams& params, Json& json) {
  Json scale = Json::array();
  Json zeroPoint = Json::array();
  for (const Grid& grid : params.grids) {
    scale.push_back(jsonNumber(grid.scale));
    zeroPoint.push_back(grid.zeroPoint);
  }
  json["scale"] = std::move(scale);
  json["zero_point"] = std::move(zeroPoint);
  json["axis"] = params.axis < 0 ? Json(nullptr) : Json(params.axis);
  json["block_size"] = params.groupSize > 0 ? Json(params.groupSize) : Json(nullptr);
}

// What the grids hold, and where they come from; null without grids.
void addRange(const std::optional<QuantParams>& params, RangeSource source, Json& json) {
  const bool known = params.has_value();
  json["range_source"] = known ? Json(name(source)) : Json(nullptr);
  const bool ranged = known && hasScale(params->type) && !params->grids.empty();
  const bool coded = known && isInteger(params->type);
  Json& limits = json["range"];
  if (ranged) {
    Range range;
    for (const Grid& grid : params->grids) range.include(params->representable(grid));
    limits = {jsonNumber(range.low), jsonNumber(range.high)};
  }
  json["qmin"] = coded ? Json(params->qmin) : Json(nullptr);
  json["qmax"] = coded ? Json(params->qmax) : Json(nullptr);
  Json& threshold = json["threshold"];
  if (!ranged || params->type != QuantType::Ternary) return;
  for (const Grid& grid : params->grids) threshold.push_back(jsonNumber(grid.threshold));
}

Json weightJson(const WeightParams& weight, const Graph& graph, NodeId lead, RangeSource source) {
  Json json{{"value", valueName(graph, lead, weight.input)},
            {"input", weight.input},
            {"type", name(weight.params.type)},
            {"symmetric", weight.params.symmetric}};
  addGrids(weight.params, json);
  addRange(weight.params, source, json);
  return json;
}

Json biasJson(const LayerQuantization& layer, const Graph& graph) {
  if (!layer.bias) return nullptr;
  const BiasParams& bias = *layer.bias;
  Json json{{"value", valueName(graph, bias.holder, bias.input)},
            {"type", bias.bits == 0 ? "fp32" : "int" + std::to_string(bias.bits)},
            {"symmetric", true}};
  Json scale = Json::array();
  for (const float step : bias.scales) scale.push_back(jsonNumber(step));
  json["zero_point"] = std::vector<int>(scale.size(), 0);
  json["scale"] = std::move(scale);
  json["axis"] = bias.scales.size() > 1 ? Json(0) : Json(nullptr);
  json["block_size"] = nullptr;
  json["overflows"] = bias.overflows;
  return json;
}

Json pointJson(const QuantizedModel& model, const Graph& graph, std::size_t index,
               const std::optional<QuantParams>& params, const RangeSources& sources) {
  const QuantizationPoint& point = model.groups.points[index];
  const TensorPrecision& precision = point.precision;
  Json json{{"value", graph[point.value].name},
            {"point", toJson(pointName(graph, point))},
            {"type", name(params ? params->type : precision.type)},
            {"symmetric", params ? params->symmetric : precision.symmetric},
            {"mode", (params ? params->dynamic : precision.dynamic) ? "dynamic" : "static"}};
  if (params) {
    addGrids(*params, json);
  } else {
    for (const char* key : {"scale", "zero_point", "axis", "block_size"}) json[key] = nullptr;
  }
  addRange(params, sources.ofGroup(point.group), json);
  json["group"] = point.group;
  json["observer"] = toString(precision.observer);
  json["seat"] = name(model.seats[index]);
  return json;
}

}  // namespace

nlohmann::ordered_json parametersJson(const QuantizedModel& model, const LayerQuantization& layer,
                                      const Graph& graph, const RangeSources& sources) {
  Json weights = Json::array();
  for (const WeightParams& weight : layer.weights) {
    weights.push_back(
        weightJson(weight, graph, layer.layer.lead(), sources.ofWeight(layer, weight.input)));
  }
  Json inputs = Json::array();
  for (const std::size_t edge : layer.edges) {
    // With factors, a layer's input has a grid of its own.
    const auto& params = layer.equalized ? layer.activation : paramsOf(model, edge);
    inputs.push_back(pointJson(model, graph, edge, params, sources));
  }
  const Json output = layer.outputPoint
                          ? pointJson(model, graph, *layer.outputPoint, layer.output, sources)
                          : Json(nullptr);
  return {{"weight", weights.empty() ? Json(nullptr) : weights.front()},
          {"weights", std::move(weights)},
          {"bias", biasJson(layer, graph)},
          {"inputs", std::move(inputs)},
          {"output", output}};
}

}  // namespace quantscope
