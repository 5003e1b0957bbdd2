// NNCF's ignored scope: what stays float. `validate` makes NNCF complain about names that match
// nothing, so only nodes of the model are named.

#include <set>

#include "export/formats/format.h"
#include "export/formats/script_text.h"
#include "export/formats/shown_grids.h"

namespace quantscope {

FormatOutput nncfScope(const FormatInput& input) {
  FormatOutput output;
  output.losses.push_back({"",
                           "NNCF calibrates itself: scales, zero points and observers are not "
                           "carried"});
  std::set<std::string> names;
  for (const LayerQuantization& layer : input.model.layers) {
    const Node& lead = input.graph()[layer.layer.lead()];
    if (layer.dataMover || lead.outputs.empty() ||
        input.engine.constant(lead.outputs[0]) != nullptr) {
      continue;
    }
    if (!isQuantizedLayer(layer)) {
      for (const NodeId member : layer.layer.members) names.insert(input.graph()[member].name);
      continue;
    }
    const std::string types = weightTypeName(layer) + " / " + activationTypeName(layer);
    if (types.find("int8") == std::string::npos) {
      output.losses.push_back({lead.name, "its types " + types + " become NNCF's 8-bit integers"});
    }
  }
  output.text = "import nncf\n\nignored_scope = nncf.IgnoredScope(\n    names=[\n";
  for (const std::string& name : names) output.text += "        " + pythonString(name) + ",\n";
  output.text += "    ],\n    validate=True,\n)\n";
  return output;
}

}  // namespace quantscope
