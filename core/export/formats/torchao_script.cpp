// A script with a Quantizer of torchao's PT2E flow. It annotates the operators of a program that
// torch.export made with QuantizationSpecs whose observer gives the scales that were shown.
// Operators are found by the module they came from, their kind and their place among those of that
// kind there.

#include <map>

#include "export/formats/format.h"
#include "export/formats/script_text.h"
#include "export/formats/shown_grids.h"
#include "export/formats/torch_text.h"

namespace quantscope {
namespace {

std::string specOf(const QuantParams& params) {
  const bool perChannel = params.grids.size() > 1;
  return "spec(" + scaleList(params) + ", " + zeroPointList(params) + ", torch." +
         (params.type == QuantType::Int8 ? "int8" : "uint8") + ", " + std::to_string(params.qmin) +
         ", " + std::to_string(params.qmax) +
         (perChannel ? ", axis=" + std::to_string(params.axis) : "") + ")";
}

/// The parameters of one operator of the program.
struct Entry {
  std::string module;
  std::string op;
  std::size_t place = 0;
  const QuantParams* input = nullptr;
  const QuantParams* weight = nullptr;
  const QuantParams* output = nullptr;
};

class EntryCollector {
 public:
  explicit EntryCollector(const FormatInput& input) : m_graph(input.graph()) {
    for (const NodeId id : m_graph[Graph::mainBlock()].nodes) {
      const Node& node = m_graph[id];
      m_places[id] = m_counts[{modulePath(node.name), node.op}]++;
    }
  }

  // Inputs and weights belong to a layer's first node, its output to its last.
  std::vector<Entry> collect(const std::vector<TorchLayer>& layers) {
    for (const auto& [layer, module] : layers) {
      Entry& first = entryOf(layer->layer.lead());
      if (layer->activation) first.input = &*layer->activation;
      if (layer->weight) first.weight = &*layer->weight;
      if (layer->output) entryOf(layer->layer.last()).output = &*layer->output;
    }
    return std::move(m_entries);
  }

 private:
  Entry& entryOf(NodeId id) {
    const auto [known, added] = m_byNode.try_emplace(id, m_entries.size());
    if (added) {
      const Node& node = m_graph[id];
      m_entries.push_back({modulePath(node.name), node.op, m_places[id]});
    }
    return m_entries[known->second];
  }

  const Graph& m_graph;
  std::map<std::pair<std::string, std::string>, std::size_t> m_counts;
  std::map<NodeId, std::size_t> m_places;
  std::map<NodeId, std::size_t> m_byNode;
  std::vector<Entry> m_entries;
};

constexpr const char* kTorchaoHead =
    "#!/usr/bin/env python3\n"
    "\"\"\"PyTorch quantization (torchao, PT2E) on the scales that Quantscope has shown:\n\n"
    "    program = torch.export.export(model.eval(), example_inputs).module()\n"
    "    prepared = prepare_pt2e(program, ShownQuantizer())\n"
    "    prepared(*example_inputs)\n"
    "    quantized = convert_pt2e(prepared)\n"
    "\"\"\"\n\n"
    "import torch\n\n"
    "try:\n"
    "    from torchao.quantization.pt2e.observer import ObserverBase\n"
    "    from torchao.quantization.pt2e.quantizer import (QuantizationAnnotation,\n"
    "                                                     QuantizationSpec, Quantizer)\n"
    "except ImportError as missing:\n"
    "    raise SystemExit(\"there is no torchao with quantization.pt2e: install torchao 0.12 or "
    "newer\"\n"
    "                     ) from missing\n\n\n";

constexpr const char* kTorchaoSpec =
    "def spec(scales, zero_points, dtype, quant_min, quant_max, axis=None):\n"
    "    qscheme = torch.per_tensor_affine if axis is None else torch.per_channel_affine\n"
    "    return QuantizationSpec(\n"
    "        dtype=dtype, quant_min=quant_min, quant_max=quant_max, qscheme=qscheme, "
    "ch_axis=axis,\n"
    "        observer_or_fake_quant_ctr=ShownScales.with_args(\n"
    "            scales=scales, zero_points=zero_points))\n\n\n"
    "# (module, ONNX operator, its place among those of the module): input, weight, output\n"
    "SHOWN = {\n";

constexpr const char* kTorchaoTail =
    "}\n\n"
    "# The names of ATen operators that ONNX's were exported from, where they differ.\n"
    "NAMES = {\n"
    "    \"Conv\": (\"conv1d\", \"conv2d\", \"conv3d\", \"convolution\"),\n"
    "    \"ConvTranspose\": (\"conv_transpose1d\", \"conv_transpose2d\", \"conv_transpose3d\"),\n"
    "    \"Gemm\": (\"linear\", \"addmm\"),\n"
    "    \"MatMul\": (\"linear\", \"matmul\", \"mm\", \"bmm\"),\n"
    "    \"Clip\": (\"clamp\", \"hardtanh\", \"relu6\"),\n"
    "    \"Concat\": (\"cat\", \"concat\"),\n"
    "    \"GlobalAveragePool\": (\"adaptive_avg_pool2d\", \"mean\"),\n"
    "    \"AveragePool\": (\"avg_pool2d\", \"avg_pool1d\"),\n"
    "    \"ReduceMean\": (\"mean\",),\n"
    "}\n\n\n"
    "def module_of(node):\n"
    "    stack = list((node.meta.get(\"nn_module_stack\") or {}).values())\n"
    "    path = str(stack[-1][0]) if stack else \"\"\n"
    "    for prefix in (\"L__self__\", \"L['self']\"):\n"
    "        path = path.removeprefix(prefix)\n"
    "    return path.lstrip(\".\")\n\n\n"
    "def operator_of(node):\n"
    "    \"\"\"'conv2d' of aten.conv2d.default\"\"\"\n"
    "    parts = str(node.target).split(\".\")\n"
    "    return parts[1].rstrip(\"_\") if parts[0] == \"aten\" and len(parts) > 1 else \"\"\n\n\n"
    "class ShownQuantizer(Quantizer):\n"
    "    \"\"\"Annotates what was shown as quantized; everything else stays float.\"\"\"\n\n"
    "    def annotate(self, model):\n"
    "        places, found = {}, set()\n"
    "        for node in model.graph.nodes:\n"
    "            if node.op != \"call_function\":\n"
    "                continue\n"
    "            for key in self.keys_of(node, places):\n"
    "                found.add(key)\n"
    "                self.annotate_node(node, *SHOWN[key])\n"
    "        for key in sorted(set(SHOWN) - found):\n"
    "            print(\"not in the program, so it stays float:\", *key)\n"
    "        return model\n\n"
    "    def keys_of(self, node, places):\n"
    "        module, name, keys = module_of(node), operator_of(node), []\n"
    "        for op in sorted({key[1] for key in SHOWN}):\n"
    "            if name not in NAMES.get(op, (op.lower(),)):\n"
    "                continue\n"
    "            place = places.get((module, op), 0)\n"
    "            places[module, op] = place + 1\n"
    "            if (module, op, place) in SHOWN:\n"
    "                keys.append((module, op, place))\n"
    "        return keys\n\n"
    "    def annotate_node(self, node, activation, weight, output):\n"
    "        tensors = [arg for arg in node.args if hasattr(arg, \"meta\")]\n"
    "        inputs = {}\n"
    "        for index, tensor in enumerate(tensors):\n"
    "            if weight is not None and index == 1:\n"
    "                inputs[tensor] = weight\n"
    "            elif activation is not None and (weight is None or index == 0):\n"
    "                before = tensor.meta.get(\"quantization_annotation\")\n"
    "                if before is None or before.output_qspec is None:\n"
    "                    inputs[tensor] = activation\n"
    "        node.meta[\"quantization_annotation\"] = QuantizationAnnotation(\n"
    "            input_qspec_map=inputs, output_qspec=output, _annotated=True)\n\n"
    "    def validate(self, model):\n"
    "        pass\n";

std::string specOrNone(const QuantParams* params) {
  return params == nullptr ? "None" : specOf(*params);
}

}  // namespace

FormatOutput torchaoScript(const FormatInput& input) {
  FormatOutput output{kTorchaoHead + shownScalesClass("torch.int64") + kTorchaoSpec, {}};
  const std::vector<TorchLayer> layers = torchLayers(input, output.losses);
  for (const TorchLayer& layer : layers) {
    output.names[input.graph()[layer.layer->layer.lead()].name] = layer.module;
  }
  for (const Entry& entry : EntryCollector(input).collect(layers)) {
    output.text += "    (" + pythonString(entry.module) + ", " + pythonString(entry.op) + ", " +
                   std::to_string(entry.place) + "): (\n        " + specOrNone(entry.input) +
                   ",\n        " + specOrNone(entry.weight) + ",\n        " +
                   specOrNone(entry.output) + "),\n";
  }
  output.text += kTorchaoTail;
  return output;
}

}  // namespace quantscope
