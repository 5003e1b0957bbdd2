// A script for onnxruntime.quantization.quantize_static with TensorQuantOverrides. Scale and zero
// point are given together as numpy arrays and then with none of symmetric, reduce_range, rmin and
// rmax; of several entries, one per channel, the first has the axis.

#include <map>
#include <set>

#include "base/number_text.h"
#include "export/formats/format.h"
#include "export/formats/script_text.h"
#include "export/formats/shown_grids.h"
#include "export/formats/tool_names.h"

namespace quantscope {
namespace {

struct OrtType {
  const char* quantType;
  const char* numpy;
};

const OrtType* ortTypeOf(QuantType type) {
  static const std::map<QuantType, OrtType> types{{QuantType::Int8, {"QInt8", "int8"}},
                                                  {QuantType::UInt8, {"QUInt8", "uint8"}},
                                                  {QuantType::Int16, {"QInt16", "int16"}},
                                                  {QuantType::UInt16, {"QUInt16", "uint16"}}};
  const auto found = types.find(type);
  return found == types.end() ? nullptr : &found->second;
}

std::string overrideEntry(const QuantParams& params, const OrtType& type, std::size_t index) {
  const Grid& grid = params.grids[index];
  std::string text = "{\"quant_type\": QuantType." + std::string(type.quantType);
  if (index == 0 && params.grids.size() > 1) text += ", \"axis\": " + std::to_string(params.axis);
  return text + ", \"scale\": numpy.array(" + shortestText(grid.scale) +
         ", dtype=numpy.float32), \"zero_point\": numpy.array(" + std::to_string(grid.zeroPoint) +
         ", dtype=numpy." + type.numpy + ")}";
}

// Why ONNX Runtime cannot take the grid; empty where it can.
std::string ortProblem(const ShownGrid& grid) {
  const QuantParams& params = *grid.params;
  if (params.dynamic) return "a range per sample is no part of static quantization";
  if (ortTypeOf(params.type) == nullptr) {
    return "overrides of type " + std::string(name(params.type)) + " are not written";
  }
  if (grid.folded) return "folding changes them, so that ONNX Runtime takes their scales itself";
  if (params.groupSize > 0) return "overrides have no blocks";
  if (!grid.isWeight && params.grids.size() > 1) {
    return "activations have one scale per tensor";
  }
  return {};
}

void noteCodes(const ShownGrid& grid, ExportLosses& losses) {
  const QuantParams& params = *grid.params;
  if (params.qmin > lowestCode(params.type) || params.qmax < highestCode(params.type)) {
    losses.push_back({grid.node, "codes beyond " + std::to_string(params.qmin) + " … " +
                                     std::to_string(params.qmax) + " are used as well"});
  }
}

std::string listOf(const std::set<std::string>& names, const char* indent) {
  std::string text = "[";
  for (const std::string& name : names)
    text += "\n" + std::string(indent) + pythonString(name) + ",";
  return text + "]";
}

}  // namespace

FormatOutput ortScript(const FormatInput& input) {
  FormatOutput output;
  std::string overrides;
  bool contrib = false;
  for (const ShownGrid& grid : shownGrids(input, output.losses)) {
    if (const std::string problem = ortProblem(grid); !problem.empty()) {
      output.losses.push_back({grid.node, describe(grid) + ": " + problem});
      continue;
    }
    noteCodes(grid, output.losses);
    const QuantParams& params = *grid.params;
    contrib |= bitWidth(params.type) == 16;
    overrides += "    " + pythonString(grid.tensor) + ": [";
    for (std::size_t i = 0; i < params.grids.size(); ++i) {
      overrides += "\n        " + overrideEntry(params, *ortTypeOf(params.type), i) + ",";
    }
    overrides += "\n    ],\n";
  }
  ToolNames toolNames(input, output);
  std::set<std::string> excluded;
  std::set<std::string> operators;
  bool perChannel = false;
  bool integerBias = false;
  for (const LayerQuantization& layer : input.model.layers) {
    const Node& lead = input.graph()[layer.layer.lead()];
    if (isQuantizedLayer(layer)) {
      operators.insert(lead.op);
      perChannel |= layer.weight && layer.weight->perChannel();
      integerBias |= layer.bias && layer.bias->bits == 32;
    } else if (!layer.dataMover && lead.block == Graph::mainBlock()) {
      if (const auto name = toolNames.of(layer.layer.lead())) excluded.insert(*name);
    }
  }
  output.text =
      "#!/usr/bin/env python3\n"
      "\"\"\"Quantizes a model with ONNX Runtime on the scales that Quantscope has shown.\n\n"
      "    python3 THIS.py MODEL.onnx DATA.npz OUT.onnx\n\"\"\"\n\n"
      "import sys\n\nimport numpy\n"
      "from onnxruntime.quantization import (CalibrationDataReader, QuantFormat, QuantType,\n"
      "                                      quantize_static)\n\n"
      "TENSOR_QUANT_OVERRIDES = {\n" +
      overrides +
      "}\n\n"
      "NODES_TO_EXCLUDE = " +
      listOf(excluded, "    ") +
      "\n\n"
      "OP_TYPES_TO_QUANTIZE = " +
      listOf(operators, "    ") +
      "\n\n\n"
      "class FirstSample(CalibrationDataReader):\n"
      "    \"\"\"All scales are given: one sample is enough for the pass that asks for "
      "data.\"\"\"\n\n"
      "    def __init__(self, data):\n"
      "        arrays = numpy.load(data)\n"
      "        self.feeds = iter([{name: arrays[name][:1] for name in arrays.files}])\n\n"
      "    def get_next(self):\n"
      "        return next(self.feeds, None)\n\n\n"
      "def main(model, data, out):\n"
      "    quantize_static(\n"
      "        model, out, FirstSample(data), quant_format=QuantFormat.QDQ,\n"
      "        op_types_to_quantize=OP_TYPES_TO_QUANTIZE, nodes_to_exclude=NODES_TO_EXCLUDE,\n"
      "        per_channel=" +
      pythonBool(perChannel) +
      ",\n"
      "        extra_options={\n"
      "            \"TensorQuantOverrides\": TENSOR_QUANT_OVERRIDES,\n"
      "            \"AddQDQPairToWeight\": True,\n"
      "            \"DedicatedQDQPair\": False,\n"
      "            \"UseQDQContribOps\": " +
      pythonBool(contrib) +
      ",\n"
      "            \"QuantizeBias\": " +
      pythonBool(integerBias) +
      ",\n"
      "        })\n\n\n"
      "if __name__ == \"__main__\":\n"
      "    if len(sys.argv) != 4:\n"
      "        sys.exit(__doc__)\n"
      "    main(*sys.argv[1:])\n";
  return output;
}

}  // namespace quantscope
