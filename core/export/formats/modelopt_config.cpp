// NVIDIA Model Optimizer's quant_cfg: wildcards for the names of quantizers. Later entries beat
// earlier ones; everything that is not named is off.

#include "export/formats/format.h"
#include "export/formats/script_text.h"
#include "export/formats/shown_grids.h"

namespace quantscope {
namespace {

// num_bits: a number for integers, (exponent, mantissa) for FP8; "" where there is no such type.
std::string numBits(QuantType type) {
  if (type == QuantType::Float8E4M3) return "(4, 3)";
  if (type == QuantType::Float8E5M2) return "(5, 2)";
  return isInteger(type) ? std::to_string(bitWidth(type)) : std::string();
}

std::string quantizer(const QuantParams& params) {
  std::string text = "{\"num_bits\": " + numBits(params.type);
  if (params.groupSize > 0) {
    text += ", \"block_sizes\": {" + std::to_string(params.axis) + ": " +
            std::to_string(params.groupSize) + "}";
  } else {
    text += ", \"axis\": " +
            (params.grids.size() > 1 ? std::to_string(params.axis) : std::string("None"));
  }
  if (params.dynamic) text += ", \"type\": \"dynamic\"";
  return text + ", \"enable\": True}";
}

}  // namespace

FormatOutput modeloptConfig(const FormatInput& input) {
  FormatOutput output{
      "QUANT_CFG = {\n    \"quant_cfg\": {\n"
      "        \"default\": {\"enable\": False},\n",
      {}};
  output.losses.push_back({"",
                           "Model Optimizer calibrates itself: scales and observers are not "
                           "carried"});
  for (const LayerQuantization& layer : input.model.layers) {
    const std::string& node = input.graph()[layer.layer.lead()].name;
    if (!isQuantizedLayer(layer) || layer.dataMover) continue;
    const std::string path = modulePath(node);
    if (!path.empty()) output.names[node] = path;
    const std::string pattern = wildcardFor(path.empty() ? node : path) + ".";
    const auto add = [&](const std::optional<QuantParams>& params, const char* kind) {
      if (!params) return;
      if (numBits(params->type).empty()) {
        output.losses.push_back({node, "its type " + std::string(name(params->type)) +
                                           " has no num_bits: that quantizer stays off"});
        return;
      }
      if (!params->symmetric) {
        output.losses.push_back(
            {node, std::string("its ") + kind + " becomes symmetric: there is no zero point"});
      }
      output.text += "        " + pythonString(pattern + kind) + ": " + quantizer(*params) + ",\n";
    };
    add(layer.weight, "weight_quantizer");
    add(layer.activation, "input_quantizer");
  }
  output.text += "    },\n    \"algorithm\": \"max\",\n}\n";
  return output;
}

}  // namespace quantscope
