// Intel Neural Compressor's op_name_dict: a regular expression for the name of a node to the types
// of its weights and activations.

#include "export/formats/format.h"
#include "export/formats/script_text.h"
#include "export/formats/shown_grids.h"
#include "export/formats/tool_names.h"

namespace quantscope {
namespace {

bool isIncType(const std::string& type) {
  return type == "int8" || type == "uint8" || type == "fp32" || type == "bf16" || type == "fp16";
}

}  // namespace

FormatOutput incConfig(const FormatInput& input) {
  FormatOutput output{"op_name_dict = {\n", {}};
  output.losses.push_back({"",
                           "Neural Compressor calibrates itself: scales, zero points and "
                           "observers are not carried"});
  ToolNames toolNames(input, output);
  for (const LayerQuantization& layer : input.model.layers) {
    const std::string& node = input.graph()[layer.layer.lead()].name;
    if (layer.dataMover) continue;
    const std::optional<std::string> toolName = toolNames.of(layer.layer.lead());
    if (!toolName) continue;
    std::string types[] = {weightTypeName(layer), activationTypeName(layer)};
    for (std::string& type : types) {
      if (isIncType(type)) continue;
      output.losses.push_back({node, "its type " + type + " has no name there: it stays float"});
      type = "fp32";
    }
    output.text += "    " + pythonString(regexFor(*toolName)) + ": {\"weight\": {\"dtype\": [" +
                   pythonString(types[0]) + "]}, \"activation\": {\"dtype\": [" +
                   pythonString(types[1]) + "]}},\n";
  }
  output.text += "}\n";
  return output;
}

}  // namespace quantscope
