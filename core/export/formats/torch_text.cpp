#include "export/formats/torch_text.h"

#include "base/number_text.h"
#include "export/formats/shown_grids.h"

namespace quantscope {

std::string scaleList(const QuantParams& params) {
  std::string text = "[";
  for (const Grid& grid : params.grids) {
    text += (text.size() > 1 ? ", " : "") + shortestText(grid.scale);
  }
  return text + "]";
}

std::string zeroPointList(const QuantParams& params) {
  std::string text = "[";
  for (const Grid& grid : params.grids) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(grid.zeroPoint);
  }
  return text + "]";
}

std::string shownScalesClass(const std::string& zeroPointType) {
  return "class ShownScales(ObserverBase):\n"
         "    \"\"\"Observes nothing: gives the scales that were shown.\"\"\"\n\n"
         "    def __init__(self, scales, zero_points, dtype, quant_min, quant_max, qscheme, "
         "ch_axis=0,\n"
         "                 **unused):\n"
         "        super().__init__(dtype=dtype)\n"
         "        self.register_buffer(\"scale\", torch.tensor(scales, dtype=torch.float32))\n"
         "        self.register_buffer(\"zero_point\", torch.tensor(zero_points, dtype=" +
         zeroPointType +
         "))\n"
         "        self.quant_min, self.quant_max = quant_min, quant_max\n"
         "        self.qscheme, self.ch_axis = qscheme, ch_axis\n\n"
         "    def forward(self, x):\n"
         "        return x\n\n"
         "    def calculate_qparams(self):\n"
         "        return self.scale, self.zero_point\n\n\n";
}

std::string torchProblem(const QuantParams& params, bool isWeight) {
  if (params.type != QuantType::Int8 && params.type != QuantType::UInt8) {
    return "there is no backend for " + std::string(name(params.type));
  }
  if (params.dynamic) return "a range per sample is no fixed parameter";
  if (params.groupSize > 0) return "blocks have no observer";
  if (!isWeight && params.grids.size() > 1) return "activations have one scale per tensor";
  return {};
}

std::vector<TorchLayer> torchLayers(const FormatInput& input, ExportLosses& losses) {
  std::vector<TorchLayer> layers;
  for (const LayerQuantization& layer : input.model.layers) {
    const std::string& node = input.graph()[layer.layer.lead()].name;
    const auto lose = [&](const std::string& what) { losses.push_back({node, what}); };
    if (!isQuantizedLayer(layer) || layer.dataMover) continue;
    const std::string module = modulePath(node);
    if (module.empty()) {
      lose("its name does not tell which module it came from: it stays float");
      continue;
    }
    std::string problem;
    if (layer.output) problem = torchProblem(*layer.output, false);
    if (problem.empty() && layer.weight) problem = torchProblem(*layer.weight, true);
    if (!problem.empty()) {
      lose(problem + ": it stays float");
      continue;
    }
    layers.push_back({&layer, module});
  }
  return layers;
}

}  // namespace quantscope
