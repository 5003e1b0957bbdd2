#include <QtTest>

#include "export/format_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// The scripts for PyTorch, run.
class TorchFormatsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void torch();
  void torchao();
};

void TorchFormatsTest::torch() {
  const FormatCase testCase;
  const QString out = runPython(testCase.write("torch").text, R"(
import json, warnings
warnings.simplefilter("ignore")
import torch
from torch.ao.quantization.quantize_fx import prepare_fx, convert_fx
import script
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 3, 1)
    def forward(self, x): return self.conv(x)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(Block())
        self.net.last = torch.nn.Conv2d(3, 2, 1, bias=False)
    def forward(self, x): return self.net(x)
x = (torch.randn(1, 2, 4, 4),)
torch.backends.quantized.engine = torch.backends.quantized.supported_engines[-1]
prepared = prepare_fx(Net().eval(), script.qconfig_mapping(), x)
prepared(*x)
net = convert_fx(prepared)
conv = net.net
first, last = getattr(getattr(conv, "0").conv, "weight")(), conv.last.weight()
print(json.dumps({"scale": float(getattr(conv, "0").conv.scale),
  "zero": int(getattr(conv, "0").conv.zero_point), "last": float(conv.last.scale),
  "weights": first.q_per_channel_scales().tolist(), "axis": first.q_per_channel_axis()}))
)");
  if (out.contains("No module named 'torch'") || out == "no python") QSKIP("skipped: no torch");
  QVERIFY2(out.startsWith("{"), qPrintable(out));
  const auto written = nlohmann::json::parse(out.toStdString());
  const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); };
  QVERIFY(close(written.at("scale"), testCase.layer(0).output->grids[0].scale));
  QCOMPARE(written.at("zero").get<int>(), testCase.layer(0).output->grids[0].zeroPoint);
  QVERIFY(close(written.at("last"), testCase.layer(1).output->grids[0].scale));
  QCOMPARE(written.at("axis").get<int>(), 0);
  for (std::size_t i = 0; i < 3; ++i) {
    QVERIFY(close(written.at("weights").at(i), testCase.layer(0).weight->grids[i].scale));
  }
}

// torchao itself is no package of Debian: its quantizer's interface stands in for it.
void TorchFormatsTest::torchao() {
  const FormatCase testCase;
  const QString out = runPython(testCase.write("torchao").text, R"(
import json, sys, types, warnings
warnings.simplefilter("ignore")
import torch
from torch.ao.quantization.observer import ObserverBase
class Annotation:
    def __init__(self, input_qspec_map, output_qspec, _annotated):
        self.input_qspec_map, self.output_qspec = input_qspec_map, output_qspec
def module(name, **content):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(content)
module("torchao.quantization.pt2e.observer", ObserverBase=ObserverBase)
module("torchao.quantization.pt2e.quantizer", QuantizationAnnotation=Annotation,
       QuantizationSpec=types.SimpleNamespace, Quantizer=object)
for name in ("torchao", "torchao.quantization", "torchao.quantization.pt2e"):
    module(name)
import script
class Node:
    def __init__(self, target, path, *args, op="call_function"):
        self.op, self.target, self.args = op, target, args
        self.meta = {"nn_module_stack": {"x": (path, None)}}
x, w, b, v = (Node(name, "", op="placeholder") for name in "xwbv")
first = Node("aten.conv2d.default", "L__self__.net.0.conv", x, w, b)
other = Node("aten.relu.default", "L__self__.other", first)
relu = Node("aten.relu.default", "L__self__.net.act", first)
last = Node("aten.conv2d.default", "net.last", relu, v)
nodes = [x, w, b, first, other, relu, last, v]
program = types.SimpleNamespace(graph=types.SimpleNamespace(nodes=nodes))
script.ShownQuantizer().annotate(program)
def told(spec):
    if spec is None:
        return None
    observer = spec.observer_or_fake_quant_ctr(dtype=spec.dtype, quant_min=spec.quant_min,
        quant_max=spec.quant_max, qscheme=spec.qscheme, ch_axis=spec.ch_axis)
    scale, zero = observer.calculate_qparams()
    return [scale.tolist(), zero.tolist(), str(spec.dtype), str(spec.qscheme), spec.ch_axis]
def annotated(node):
    note = node.meta.get("quantization_annotation")
    return note and {"inputs": [told(note.input_qspec_map[arg]) if arg in note.input_qspec_map
                                else None for arg in node.args], "output": told(note.output_qspec)}
print(json.dumps([annotated(node) for node in (first, other, relu, last)]))
)");
  if (out.contains("No module named 'torch'") || out == "no python") QSKIP("skipped: no torch");
  const auto all = nlohmann::json::parse(out.toStdString(), nullptr, false);
  QVERIFY2(all.is_array(), qPrintable(out));
  const auto isGrid = [](const nlohmann::json& told, const QuantParams& params) {
    if (told.at(0).size() != params.grids.size()) return false;
    for (std::size_t i = 0; i < params.grids.size(); ++i) {
      if (told.at(0).at(i).get<float>() != params.grids[i].scale) return false;
      if (told.at(1).at(i).get<int>() != params.grids[i].zeroPoint) return false;
    }
    return told.at(2) == (params.type == QuantType::Int8 ? "torch.int8" : "torch.uint8");
  };
  const LayerQuantization& first = testCase.layer(0);
  const LayerQuantization& last = testCase.layer(1);
  QVERIFY(isGrid(all[0].at("inputs").at(0), *first.activation));
  QVERIFY(isGrid(all[0].at("inputs").at(1), *first.weight));
  QCOMPARE(all[0].at("inputs").at(1).at(3).get<std::string>(),
           std::string("torch.per_channel_affine"));
  QCOMPARE(all[0].at("inputs").at(1).at(4).get<int>(), 0);
  QVERIFY(all[0].at("inputs").at(2).is_null());
  // A fused layer's output is that of its last operator, in the module that this came from.
  QVERIFY(all[0].at("output").is_null());
  QVERIFY(all[1].is_null());
  QVERIFY(isGrid(all[2].at("output"), *first.output));
  // A value that its producer rounds is not rounded again.
  QVERIFY(all[3].at("inputs").at(0).is_null());
  QVERIFY(isGrid(all[3].at("inputs").at(1), *last.weight));
  QVERIFY(isGrid(all[3].at("output"), *last.output));
}

QUANTSCOPE_TEST(TorchFormatsTest)
#include "test_torch_formats.moc"
