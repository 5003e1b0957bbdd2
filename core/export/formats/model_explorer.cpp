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

// A node goes by its name, or by that of its output where the file gives it none.
std::string explorerKey(const FormatInput& input, NodeId id, FormatOutput& output) {
  const Node& node = input.graph()[id];
  if (!node.fileName) return node.name;
  const std::string& key =
      node.fileName->empty() && !node.outputs.empty() && node.outputs[0].valid()
          ? input.graph()[node.outputs[0]].name
          : *node.fileName;
  output.names[node.name] = key;
  return key;
}

}  // namespace

FormatOutput modelExplorerData(const FormatInput& input) {
  using Json = nlohmann::ordered_json;
  FormatOutput output;
  output.losses.push_back({"", "node data are shown, not run: types as bits, no scales"});
  Json results = Json::object();
  for (const LayerQuantization& layer : input.model.layers) {
    for (const NodeId member : layer.layer.members) {
      results[explorerKey(input, member, output)] = {{"value", activationBits(layer)}};
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
