// One line per layer: types, and the parameters of weights, first input and output. A cell with
// several scales has all of them, with spaces between.

#include "base/number_text.h"
#include "export/formats/format.h"
#include "export/formats/script_text.h"
#include "export/formats/shown_grids.h"

namespace quantscope {
namespace {

std::string cells(const std::optional<QuantParams>& params) {
  if (!params) return ",\"fp32\",,,";
  std::string scales;
  std::string zeroPoints;
  for (const Grid& grid : params->grids) {
    scales += (scales.empty() ? "" : " ") + shortestText(grid.scale);
    zeroPoints += (zeroPoints.empty() ? "" : " ") + std::to_string(grid.zeroPoint);
  }
  return "," + csvField(name(params->type)) + "," +
         csvField(params->dynamic ? "dynamic" : "static") + "," + csvField(scales) + "," +
         csvField(zeroPoints);
}

}  // namespace

FormatOutput layerTable(const FormatInput& input) {
  FormatOutput output{"node,operator,members,backend", {}};
  for (const char* tensor : {"weight", "input", "output"}) {
    for (const char* column : {"type", "mode", "scale", "zero_point"}) {
      output.text += "," + std::string(tensor) + "_" + column;
    }
  }
  output.text += "\r\n";
  for (const LayerQuantization& layer : input.model.layers) {
    const Node& lead = input.graph()[layer.layer.lead()];
    std::string members;
    for (const NodeId member : layer.layer.members) {
      members += (members.empty() ? "" : "+") + input.graph()[member].op;
    }
    output.text += csvField(lead.name) + "," + csvField(lead.op) + "," + csvField(members) + "," +
                   csvField(input.config.precision->backend) + cells(layer.weight) +
                   cells(layer.activation) + cells(layer.output) + "\r\n";
  }
  return output;
}

}  // namespace quantscope
