#include <QtTest>

#include "base/error.h"
#include "engine/execution.h"
#include "export/qdq/qdq_model.h"
#include "export/qdq/verify_export.h"
#include "onnx/import.h"
#include "onnx/writing/write_model.h"
#include "precision/quantized_case.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Exported models, node by node, and that they compute what was simulated.
class QdqModelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nodes_data();
  void nodes();
  void sameBits_data();
  void sameBits();
  void losses_data();
  void losses();
  void opsets_data();
  void opsets();
  void floatWeightsStayFloat();
  void aWrongModelIsFound();
};

namespace {

const char* const kTwoConvs =
    "input x:float[1,2,4,4]\nw:float[3,2,1,1]\nb:float[3]\n"
    "c = Conv(x, w, b) @conv\nr = Relu(c) @relu\nv:float[2,3,1,1]\n"
    "y = Conv(r, v) @last\noutput y";
const char* const kNormalized =
    "input x:float[1,2,4,4]\nw:float[3,2,3,3]\ns:float[3]\no:float[3]\nm:float[3]\n"
    "q:float[3]{1,2,0.5}\nc = Conv(x, w) @conv\nn = BatchNormalization(c, s, o, m, q) @norm\n"
    "y = Relu(n) @relu\noutput y";
const char* const kLinear =
    "input x:float[2,8]\nw:float[8,4]\np = MatMul(x, w) @product\ny = Add(p, b:float[4]) @bias\n"
    "output y";
const char* const kBranch =
    "input x:float[1,2,4,4]\nw:float[2,2,1,1]\nt:bool[]{true}\na = Conv(x, w) @conv\n"
    "y = If(t) then={\n g = Conv(a, w) @inner\n output g\n} else={\n h = Relu(a)\n output h\n} "
    "@choice\n"
    "output y";
const char* const kSum =
    "input x:float[1,2,4,4]\nw:float[2,2,1,1]\nv:float[2,2,1,1]{5,-4,3,2}\na = Conv(x, w) @one\n"
    "c = Conv(x, v) @two\ny = Add(a, c) @sum\noutput y";

std::vector<Tensor> samplesFor(const char* text) {
  const bool flat = std::string_view(text).find("[2,8]") != std::string_view::npos;
  std::vector<Tensor> samples;
  for (int s = 0; s < 2; ++s) {
    Tensor x(ElementType::Float32, flat ? Shape{2, 8} : Shape{1, 2, 4, 4});
    int i = 0;
    for (float& value : x.mutableValues<float>()) {
      value = static_cast<float>((++i * 37 + s * 11) % 101) / 25.0F - 1.7F;
    }
    samples.push_back(x);
  }
  return samples;
}

std::string nameIn(const Graph& graph, ValueId value) {
  return value.valid() ? graph[value].name : "";
}

/// "y = Op(a, b)" in the order of execution, without constants' names.
QStringList nodesOf(const Graph& graph) {
  QStringList lines;
  for (const Block& block : graph.blocks()) {
    for (const NodeId id : block.nodes) {
      const Node& node = graph[id];
      QStringList inputs;
      for (const ValueId input : node.inputs) {
        if (graph.constant(input) == nullptr) inputs << nameIn(graph, input).c_str();
      }
      lines << QString("%1 = %2(%3)")
                   .arg(nameIn(graph, node.outputs[0]).c_str(), node.op.c_str(), inputs.join(", "));
    }
  }
  return lines;
}

}  // namespace

void QdqModelTest::nodes_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("config");
  QTest::addColumn<QStringList>("expected");
  QTest::newRow("Conv, Relu, Conv: no pair inside a pattern, the output keeps its name")
      << QString(kTwoConvs) << QString()
      << QStringList{"w_DequantizeLinear_Output = DequantizeLinear()",
                     "v_DequantizeLinear_Output = DequantizeLinear()",
                     "x_QuantizeLinear_Output = QuantizeLinear(x)",
                     "x_DequantizeLinear_Output = DequantizeLinear(x_QuantizeLinear_Output)",
                     "c = Conv(x_DequantizeLinear_Output, w_DequantizeLinear_Output)",
                     "r = Relu(c)",
                     "r_QuantizeLinear_Output = QuantizeLinear(r)",
                     "r_DequantizeLinear_Output = DequantizeLinear(r_QuantizeLinear_Output)",
                     "y_QuantizeLinear_Input = Conv(r_DequantizeLinear_Output, "
                     "v_DequantizeLinear_Output)",
                     "y_QuantizeLinear_Output = QuantizeLinear(y_QuantizeLinear_Input)",
                     "y = DequantizeLinear(y_QuantizeLinear_Output)"};
  QTest::newRow("a folded normalization is gone, with an integer bias")
      << QString(kNormalized) << R"({"quantscope":1,"backend":"qnnpack"})"
      << QStringList{"w_DequantizeLinear_Output = DequantizeLinear()",
                     "conv_bias_DequantizeLinear_Output = DequantizeLinear()",
                     "x_QuantizeLinear_Output = QuantizeLinear(x)",
                     "x_DequantizeLinear_Output = DequantizeLinear(x_QuantizeLinear_Output)",
                     "n = Conv(x_DequantizeLinear_Output, w_DequantizeLinear_Output, "
                     "conv_bias_DequantizeLinear_Output)",
                     "y_QuantizeLinear_Input = Relu(n)",
                     "y_QuantizeLinear_Output = QuantizeLinear(y_QuantizeLinear_Input)",
                     "y = DequantizeLinear(y_QuantizeLinear_Output)"};
  QTest::newRow("one node in float: a pair on the other's edge alone")
      << QString(kSum) << R"({"quantscope":1,"nodes":{"two":"fp32","sum":"fp32"}})"
      << QStringList{"w_DequantizeLinear_Output = DequantizeLinear()",
                     "x_QuantizeLinear_Output = QuantizeLinear(x)",
                     "x_DequantizeLinear_Output = DequantizeLinear(x_QuantizeLinear_Output)",
                     "a = Conv(x_DequantizeLinear_Output, w_DequantizeLinear_Output)",
                     "a_QuantizeLinear_Output = QuantizeLinear(a)",
                     "a_DequantizeLinear_Output = DequantizeLinear(a_QuantizeLinear_Output)",
                     "c = Conv(x)",
                     "y = Add(a_DequantizeLinear_Output, c)"};
  QTest::newRow("consumers that ask for different types have a pair each")
      << QString(kSum) << R"({"quantscope":1,"backend":"generic","default":"fp32","nodes":{
             "one":{"weight":{"type":"fp32"},"activation":{"type":"uint8"},"output":{"type":"fp32"}},
             "two":{"weight":{"type":"fp32"},"activation":{"type":"int8","symmetric":true},
                    "output":{"type":"fp32"}}}})"
      << QStringList{"x_QuantizeLinear_Output = QuantizeLinear(x)",
                     "x_DequantizeLinear_Output = DequantizeLinear(x_QuantizeLinear_Output)",
                     "a = Conv(x_DequantizeLinear_Output)",
                     "x_QuantizeLinear_Output_2 = QuantizeLinear(x)",
                     "x_DequantizeLinear_Output_2 = DequantizeLinear(x_QuantizeLinear_Output_2)",
                     "c = Conv(x_DequantizeLinear_Output_2)",
                     "y = Add(a, c)"};
  QTest::newRow("fewer codes than the type has: a Clip of the codes")
      << QString("input x:float[1,2,4,4]\ny = Sigmoid(x) @only\noutput y")
      << R"({"quantscope":1,"backend":"generic","nodes":{"only":{"activation":
             {"type":"uint2"},"output":{"type":"fp32"}}}})"
      << QStringList{"x_QuantizeLinear_Output = QuantizeLinear(x)",
                     "x_Clip_Output = Clip(x_QuantizeLinear_Output)",
                     "x_DequantizeLinear_Output = DequantizeLinear(x_Clip_Output)",
                     "y = Sigmoid(x_DequantizeLinear_Output)"};
  QTest::newRow("dynamic")
      << QString(kLinear)
      << R"({"quantscope":1,"default":{"activation":{"mode":"dynamic"},"output":{"type":"fp32"}}})"
      << QStringList{"x_DynamicQuantizeLinear_Output = DynamicQuantizeLinear(x)",
                     "w_DequantizeLinear_Output = DequantizeLinear()",
                     "x_DequantizeLinear_Output = DequantizeLinear(x_DynamicQuantizeLinear_Output, "
                     "x_DynamicQuantizeLinear_Output_2, x_DynamicQuantizeLinear_Output_3)",
                     "p = MatMul(x_DequantizeLinear_Output, w_DequantizeLinear_Output)",
                     "y = Add(p)"};
}

void QdqModelTest::nodes() {
  QFETCH(QString, text);
  QFETCH(QString, config);
  QFETCH(QStringList, expected);
  const std::string graph = text.toStdString();
  const QuantizedCase testCase(graph.c_str(), samplesFor(graph.c_str()), config.toStdString());
  const QdqModel qdq = buildQdqModel(testCase.engine, testCase.model);
  QStringList got = nodesOf(qdq.draft.graph);
  // Where constants are dequantized among the rest does not matter.
  got.sort();
  expected.sort();
  QCOMPARE(got, expected);
}

// ONNX Runtime rounds float weights behind a DequantizeLinear with one scale, but with no other.
void QdqModelTest::floatWeightsStayFloat() {
  const QuantizedCase testCase(kTwoConvs, samplesFor(kTwoConvs),
                               R"({"quantscope":1,"nodes":{"last":"fp32"}})");
  for (const bool hides : {true, false}) {
    const QdqModel qdq = buildQdqModel(testCase.engine, testCase.model, std::nullopt, hides);
    const Graph& graph = qdq.draft.graph;
    const ValueId read = graph[graph.findNode("last")].inputs[0];
    const Node& rounding = graph[graph[read].producer];
    QCOMPARE(rounding.op, std::string("DequantizeLinear"));
    const Tensor& scale = graph[rounding.inputs[1]].constant;
    QVERIFY(scale.shape() == (hides ? Shape{3} : Shape{}));
    QCOMPARE(rounding.integer("axis", -1), std::int64_t{hides ? 1 : -1});
    const std::span<const float> scales = scale.values<float>();
    QVERIFY(std::ranges::all_of(scales, [&](float each) { return each == scales[0]; }));
    QCOMPARE(qdq.hidden.size(), std::size_t{hides ? 1U : 0U});
  }
}

void QdqModelTest::sameBits_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("config");
  QTest::addColumn<int>("opset");
  const auto row = [](const char* name, const char* text, const QString& config, int opset = 0) {
    QTest::newRow(name) << QString(text) << config << opset;
  };
  const auto all = [](const char* weight, const char* activation, const char* extra = "") {
    return QString(R"({"quantscope":1,"backend":"generic","default":{"weight":{%1},
                      "activation":{%2}}%3})")
        .arg(weight, activation, extra);
  };
  for (const char* text : {kTwoConvs, kNormalized, kLinear, kBranch, kSum}) {
    for (const char* backend :
         {"x86", "fbgemm", "qnnpack", "onednn", "tensorrt", "onnxruntime", "generic"}) {
      row(qPrintable(QString("%1 on %2").arg(QString(text).section('\n', -2), backend)), text,
          QString(R"({"quantscope":1,"backend":"%1"})").arg(backend));
    }
  }
  for (const char* type : {"int16", "uint16", "int8", "uint8", "int4", "uint4", "int2", "uint2",
                           "ternary", "binary", "fp16", "bf16", "fp8e4m3", "fp8e5m2"}) {
    const QByteArray tensor = QString(R"("type":"%1")").arg(type).toUtf8();
    row(qPrintable(QString("all in %1").arg(type)), kTwoConvs, all(tensor, tensor));
    row(qPrintable(QString("linear in %1").arg(type)), kLinear, all(tensor, tensor));
  }
  for (const char* type : {"int16", "uint16", "int4", "uint4"}) {
    const QByteArray tensor = QString(R"("type":"%1")").arg(type).toUtf8();
    row(qPrintable(QString("%1 below opset 21").arg(type)), kTwoConvs, all(tensor, tensor), 17);
  }
  row("blocks", kLinear, all(R"("type":"int4","granularity":"per-group:0:3")", R"("type":"fp32")"));
  row("blocks below opset 21", kLinear,
      all(R"("type":"int4","granularity":"per-group:0:3")", R"("type":"fp32")"), 17);
  for (const char* type : {"int8", "uint8", "int16", "fp8e4m3", "fp16"}) {
    row(qPrintable(QString("dynamic %1").arg(type)), kTwoConvs,
        all(R"("type":"int8")", QString(R"("type":"%1","mode":"dynamic")").arg(type).toUtf8()));
  }
  row("dynamic asymmetric int8", kTwoConvs,
      all(R"("type":"int8")", R"("type":"int8","symmetric":false,"mode":"dynamic")"));
  row("PyTorch's convention", kTwoConvs,
      all(R"("type":"int8")", R"("type":"uint8")", R"(,"convention":"pytorch")"));
  row("narrow weights and activations", kTwoConvs,
      all(R"("type":"int8","qmin":-127,"qmax":127)", R"("type":"uint8","qmin":0,"qmax":127)"));
  row("narrow 16 bits", kTwoConvs,
      all(R"("type":"int8")", R"("type":"int16","qmin":-100,"qmax":99)"));
  row("equalized", kTwoConvs, R"({"quantscope":1,"repairs":{"equalize":{"last":[1,2.5,0.5]}}})");
  row("lifted to the newest", kTwoConvs, "", 24);
}

void QdqModelTest::sameBits() {
  QFETCH(QString, text);
  QFETCH(QString, config);
  QFETCH(int, opset);
  try {
    const std::string graph = text.toStdString();
    const QuantizedCase testCase(graph.c_str(), samplesFor(graph.c_str()), config.toStdString());
    const QdqModel qdq = buildQdqModel(testCase.engine, testCase.model,
                                       opset == 0 ? std::nullopt : std::optional(opset));
    const Engine written(importModelBytes(modelBytes(qdq.draft)), testCase.workers);
    for (const NotExecutable& node : written.notExecutable()) QFAIL(node.reason.c_str());
    const Plan plan = planForOutputs(written);
    for (std::size_t i = 0; i < testCase.feeds.size(); ++i) {
      const std::vector<std::pair<ValueId, Tensor>> given{
          {written.graph().inputs()[0], testCase.feeds[i]}};
      Execution execution(plan, given);
      testCase.workers.run([&] { execution.run(); });
      const Tensor y = execution.value(written.graph().outputs()[0]);
      const std::vector<float> wanted = testCase.run("y", i);
      QCOMPARE(written.graph()[written.graph().outputs()[0]].name, std::string("y"));
      QCOMPARE(y.elementCount(), wanted.size());
      for (std::size_t e = 0; e < wanted.size(); ++e) {
        QVERIFY2(y.values<float>()[e] == wanted[e],
                 qPrintable(QString("%1 instead of %2").arg(y.values<float>()[e]).arg(wanted[e])));
      }
    }
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

void QdqModelTest::losses_data() {
  QTest::addColumn<QString>("config");
  QTest::addColumn<QString>("node");
  QTest::addColumn<QString>("what");
  QTest::newRow("float bias") << ""
                              << "conv"
                              << "its bias stays float";
  QTest::newRow("2 bits") << R"({"quantscope":1,"backend":"generic","nodes":{"last":{"weight":
      {"type":"int2"}}}})"
                          << "last"
                          << "int2 weights are stored in 8 bits";
  QTest::newRow("ternary activations") << R"({"quantscope":1,"backend":"generic","nodes":{"last":
      {"activation":{"type":"ternary"}}}})"
                                       << "last"
                                       << "ternary codes have no operators";
  QTest::newRow("bias of 64 bits") << R"({"quantscope":1,"backend":"generic","nodes":{"conv":
      {"activation":{"type":"int16"}}}})"
                                   << "conv"
                                   << "bias of 64 bits";
}

void QdqModelTest::losses() {
  QFETCH(QString, config);
  QFETCH(QString, node);
  QFETCH(QString, what);
  const QuantizedCase testCase(kTwoConvs, samplesFor(kTwoConvs), config.toStdString());
  const QdqModel qdq = buildQdqModel(testCase.engine, testCase.model);
  QStringList told;
  for (const ExportLoss& loss : qdq.losses) {
    told << QString::fromStdString(loss.node + ": " + loss.what);
  }
  QVERIFY2(!told.filter(QRegularExpression("^" + node + ": .*" + what)).isEmpty(),
           qPrintable(told.join('\n')));
}

void QdqModelTest::opsets_data() {
  QTest::addColumn<QString>("type");
  QTest::addColumn<int>("asked");
  QTest::addColumn<int>("opset");  // 0 = refused
  QTest::newRow("the model's") << "int8" << 0 << 17;
  QTest::newRow("16 bits") << "int16" << 0 << 21;
  QTest::newRow("4 bits") << "int4" << 0 << 21;
  QTest::newRow("FP8") << "fp8e4m3" << 0 << 19;
  QTest::newRow("asked for") << "int8" << 20 << 20;
  QTest::newRow("16 bits below 21") << "int16" << 18 << 18;
  QTest::newRow("FP8 below 19") << "fp8e4m3" << 18 << 0;
  QTest::newRow("below the model's") << "int8" << 13 << 0;
  QTest::newRow("unknown") << "int8" << 99 << 0;
}

void QdqModelTest::opsets() {
  QFETCH(QString, type);
  QFETCH(int, asked);
  QFETCH(int, opset);
  const QString config = QString(R"({"quantscope":1,"backend":"generic","default":{"weight":
      {"type":"%1"},"activation":{"type":"%1"}}})")
                             .arg(type);
  const QuantizedCase testCase(kTwoConvs, samplesFor(kTwoConvs), config.toStdString());
  try {
    const QdqModel qdq = buildQdqModel(testCase.engine, testCase.model,
                                       asked == 0 ? std::nullopt : std::optional(asked));
    QCOMPARE(qdq.opset, opset);
    QCOMPARE(qdq.draft.graph.opsets.front().second, opset);
  } catch (const Error& error) {
    QCOMPARE(opset, 0);
    QCOMPARE(error.code(), ErrorCode::InvalidParameters);
    QVERIFY(!error.remedy().empty());
  }
}

// A scale that is wrong by a tenth in one place of the written file does not pass.
void QdqModelTest::aWrongModelIsFound() {
  const QuantizedCase testCase(kTwoConvs, samplesFor(kTwoConvs));
  for (const bool wrong : {false, true}) {
    QdqModel qdq = buildQdqModel(testCase.engine, testCase.model);
    if (wrong) {
      Graph& graph = qdq.draft.graph;
      const ValueId scale = graph.findValue("r_scale");
      QVERIFY(scale.valid());
      const float old = graph[scale].constant.values<float>()[0];
      graph.mutableValue(scale).constant = Tensor::scalar(old * 1.1F);
    }
    const Engine written(importModelBytes(modelBytes(qdq.draft)), testCase.workers);
    MemorySource source(testCase.graph->inputs()[0], testCase.feeds);
    JobContext job(testCase.workers);
    const ExportAgreement agreement =
        verifyExport(testCase.engine, testCase.model, qdq, written, source, 2, job);
    QCOMPARE(agreement.samples, 2U);
    QCOMPARE(agreement.problem().empty(), !wrong);
    if (!wrong) QVERIFY(agreement.share() == 1);
  }
}

QUANTSCOPE_TEST(QdqModelTest)
#include "test_qdq_model.moc"
