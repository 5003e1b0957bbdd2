// Node data of Model Explorer: the bits of each node's activations as a number with a colour.

#include <nlohmann/json.hpp>

#include "export/formats/format.h"
#include "export/formats/shown_grids.h"

namespace quantscope {
namespace {

int activationBits(const LayerQuantization& layer) {
  const std::optional<QuantParams>& params = layer.activation ? layer.activation : layer.output;
  return params ? bitWidth(params->type) : 32;
}

}  // namespace

FormatOutput modelExplorerData(const FormatInput& input) {
  using Json = nlohmann::ordered_json;
  FormatOutput output;
  output.losses.push_back({"", "node data are shown, not run: types as bits, no scales"});
  Json results = Json::object();
  for (const LayerQuantization& layer : input.model.layers) {
    for (const NodeId member : layer.layer.members) {
      results[input.graph()[member].name] = {{"value", activationBits(layer)}};
    }
  }
  const Json gradient{{{"stop", 0.0}, {"bgColor", "#c0392b"}},
                      {{"stop", 0.25}, {"bgColor", "#f39c12"}},
                      {{"stop", 1.0}, {"bgColor", "#ffffff"}}};
  const std::string& graph = input.graph().name;
  Json json;
  json[graph.empty() ? "graph" : graph] = {
      {"name", "activation bits"}, {"results", std::move(results)}, {"gradient", gradient}};
  output.text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return output;
}

}  // namespace quantscope
