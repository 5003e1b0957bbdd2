// A script that builds torch.ao.quantization's QConfigMapping. Activations are
// FixedQParamsObserver, so that PyTorch uses the scales that were shown; weights get them from an
// observer that the script defines, as PyTorch has none with fixed scales per channel.

#include <set>

#include "base/number_text.h"
#include "export/formats/format.h"
#include "export/formats/script_text.h"
#include "export/formats/torch_text.h"

namespace quantscope {
namespace {

const char* torchType(QuantType type) {
  return type == QuantType::Int8 ? "torch.qint8" : "torch.quint8";
}

std::string codesOf(const QuantParams& params) {
  return "dtype=" + std::string(torchType(params.type)) +
         ", quant_min=" + std::to_string(params.qmin) +
         ", quant_max=" + std::to_string(params.qmax);
}

std::string activationObserver(const QuantParams& params) {
  const Grid& grid = params.grids.front();
  return "FixedQParamsObserver.with_args(scale=" + shortestText(grid.scale) +
         ", zero_point=" + std::to_string(grid.zeroPoint) + ", " + codesOf(params) +
         ", qscheme=torch.per_tensor_affine)";
}

std::string weightObserver(const QuantParams& params) {
  const bool perChannel = params.grids.size() > 1;
  return "ShownScales.with_args(scales=" + scaleList(params) +
         ", zero_points=" + zeroPointList(params) + ", " + codesOf(params) + ", qscheme=torch." +
         (perChannel ? "per_channel_affine" : "per_tensor_affine") +
         ", ch_axis=" + std::to_string(perChannel ? params.axis : 0) + ")";
}

constexpr const char* kHead =
    "#!/usr/bin/env python3\n"
    "\"\"\"PyTorch quantization (FX graph mode, torch.ao.quantization) on the scales that "
    "Quantscope\n"
    "has shown:\n\n"
    "    prepared = prepare_fx(model.eval(), qconfig_mapping(), example_inputs)\n"
    "    prepared(*example_inputs)\n"
    "    quantized = convert_fx(prepared)\n"
    "\"\"\"\n\n"
    "import torch\n\n"
    "try:\n"
    "    from torch.ao.quantization import FixedQParamsObserver, QConfig, QConfigMapping\n"
    "    from torch.ao.quantization.observer import ObserverBase\n"
    "except ImportError as missing:\n"
    "    raise SystemExit(\"torch.ao.quantization is not in torch \" + torch.__version__ +\n"
    "                     \": install torch 1.13 to 2.9\") from missing\n\n\n";

constexpr const char* kMapping =
    "def qconfig_mapping():\n"
    "    mapping = QConfigMapping().set_global(None)\n";

}  // namespace

FormatOutput torchScript(const FormatInput& input) {
  FormatOutput output{kHead + shownScalesClass("torch.int32") + kMapping, {}};
  output.losses.push_back({"",
                           "in FX graph mode the model's input takes the scale of its first "
                           "module's output"});
  std::set<std::string> modules;
  for (const auto& [layerOf, module] : torchLayers(input, output.losses)) {
    const LayerQuantization& layer = *layerOf;
    const std::string& node = input.graph()[layer.layer.lead()].name;
    if (!modules.insert(module).second) {
      output.losses.push_back(
          {node, "its module '" + module + "' has another node, whose entry counts"});
      continue;
    }
    if (!layer.output) {
      output.losses.push_back({node, "its output is not quantized: it stays float"});
      continue;
    }
    output.names[node] = module;
    output.text +=
        "    mapping.set_module_name(" + pythonString(module) +
        ", QConfig(\n        activation=" + activationObserver(*layer.output) +
        ",\n        weight=" +
        (layer.weight ? weightObserver(*layer.weight) : activationObserver(*layer.output)) + "))\n";
  }
  output.text += "    return mapping\n";
  return output;
}

}  // namespace quantscope
