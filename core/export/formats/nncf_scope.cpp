// NNCF's ignored scope: what stays float. `validate` makes NNCF complain about names that match
// nothing, so only nodes of the model are named.

#include <set>

#include "export/formats/format.h"
#include "export/formats/script_text.h"
#include "export/formats/shown_grids.h"
#include "export/formats/tool_names.h"

namespace quantscope {
namespace {

bool hasEightBits(const QuantParams& params) {
  return params.type == QuantType::Int8 || params.type == QuantType::UInt8;
}

// What NNCF quantizes: the weights and the activations of a layer, both in 8-bit integers.
bool isLikeNncf(const LayerQuantization& layer) {
  const std::optional<QuantParams>& activation = layer.activation ? layer.activation : layer.output;
  return (!layer.weight || hasEightBits(*layer.weight)) && activation && hasEightBits(*activation);
}

}  // namespace

FormatOutput nncfScope(const FormatInput& input) {
  FormatOutput output;
  output.losses.push_back({"",
                           "NNCF calibrates itself: scales, zero points and observers are not "
                           "carried"});
  ToolNames toolNames(input, output);
  std::set<std::string> names;
  for (const LayerQuantization& layer : input.model.layers) {
    const Node& lead = input.graph()[layer.layer.lead()];
    if (layer.dataMover || lead.outputs.empty() ||
        input.engine.constant(lead.outputs[0]) != nullptr) {
      continue;
    }
    if (!isQuantizedLayer(layer)) {
      for (const NodeId member : layer.layer.members) {
        if (const auto name = toolNames.of(member)) names.insert(*name);
      }
      continue;
    }
    if (isLikeNncf(layer)) continue;
    output.losses.push_back({lead.name, "its types " + weightTypeName(layer) + " / " +
                                            activationTypeName(layer) +
                                            " become NNCF's 8-bit integers"});
  }
  output.text = "import nncf\n\nignored_scope = nncf.IgnoredScope(\n    names=[\n";
  for (const std::string& name : names) output.text += "        " + pythonString(name) + ",\n";
  output.text += "    ],\n    validate=True,\n)\n";
  return output;
}

}  // namespace quantscope
