#include <QtTest>

#include "base/workers.h"
#include "precision/backend/backend_check.h"
#include "precision/config/configuration.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::graphFromText;

namespace {

const char* kConv = R"(
  input x:float[1,1,1,2]
  w:float[1,1,1,1]{2}
  a = Conv(x, w) @conv1
  y = Conv(a, w) @conv2
  output y
)";

const char* kGemm = R"(
  input x:float[1,2]
  w:float[2,2]{1, 2, 3, 4}
  y = Gemm(x, w) @gemm
  output y
)";

const char* kLstm = R"(
  input x:float[1,1,1]
  w:float[1,4,1]{1, 2, 3, 4}
  r:float[1,4,1]{1, 2, 3, 4}
  y = LSTM(x, w, r) hidden_size=1 @lstm
  output y
)";

const char* kActivations = R"(
  input x:float[1,1,1,2]
  a = Sigmoid(x) @sigmoid
  b = Softplus(a) @softplus
  s = Shape(x) @shape
  y = Reshape(b, s) @reshape
  output y
)";

}  // namespace

/// The parts of a configuration that a backend cannot run, and the nearest ones that it can.
class BackendCheckTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void notSupported_data();
  void notSupported();
  void theNearestIsPossible_data();
  void theNearestIsPossible();
};

void BackendCheckTest::notSupported_data() {
  QTest::addColumn<QString>("graph");
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QStringList>("expected");
  const auto row = [](const char* name, const char* graph, const char* keys,
                      const QStringList& expected) {
    QTest::newRow(name) << QString(graph) << QString(keys) << expected;
  };
  row("x86 runs the default", kConv, R"("backend": "x86")", {});
  row("float needs no support", kConv, R"("default": "fp32")", {});
  row("4-bit weights", kConv, R"("default": {"weight": {"type": "int4"}})",
      {"'conv1' and 1 more ask for weights int4 symmetric per-channel; the nearest is weights int8 "
       "symmetric per-channel: x86 runs Conv with weights of int8"});
  row("asymmetric weights", kConv, R"("nodes": {"conv2": {"weight": {"symmetric": false}}})",
      {"'conv2' asks for weights int8 asymmetric per-channel; the nearest is weights int8 "
       "symmetric "
       "per-channel: x86 runs Conv with symmetric weights"});
  row("which FBGEMM has", kConv,
      R"("backend": "fbgemm", "nodes": {"conv2": {"weight": {"symmetric": false}}})", {});
  row("channels along another axis", kConv,
      R"("nodes": {"conv2": {"weight": {"granularity": "per-channel:1"}}})",
      {"'conv2' asks for weights int8 symmetric per-channel along axis 1; the nearest is weights "
       "int8 symmetric per-channel: x86 runs Conv with per-tensor or per-channel weights"});
  row("the axis of the channels by its number", kConv,
      R"("nodes": {"conv2": {"weight": {"granularity": "per-channel:0"}}})", {});
  row("dynamic convolutions", kConv, R"("nodes": {"conv2": {"activation": {"mode": "dynamic"}}})",
      {"'conv2' asks for activations and outputs uint8 asymmetric per-tensor dynamic; the nearest "
       "is activations and outputs uint8 asymmetric per-tensor static: x86 runs Conv with static "
       "activations"});
  row("dynamic linear layers give floats", kGemm,
      R"("default": {"activation": {"mode": "dynamic"}})",
      {"'gemm' asks for outputs uint8 asymmetric per-tensor dynamic; the nearest is outputs fp32: "
       "x86 runs Gemm with outputs of fp32"});
  row("as they should", kGemm,
      R"("default": {"activation": {"mode": "dynamic"}, "output": {"type": "fp32"}})", {});
  row("TensorRT has no zero points", kConv, R"("backend": "tensorrt")",
      {"'conv1' and 1 more ask for activations and outputs uint8 asymmetric per-tensor static; the "
       "nearest is activations and outputs int8 symmetric per-tensor static: tensorrt runs Conv "
       "with activations of int8, symmetric activations"});
  row("TensorRT's blocks", kGemm,
      R"("backend": "tensorrt", "default": {"weight": {"type": "int4",
         "granularity": "per-group:0:32"}, "activation": {"type": "fp32"}})",
      {"'gemm' asks for weights int4 symmetric per-group of 32 along axis 0; the nearest is "
       "weights "
       "int4 symmetric per-group of 64 along axis 0: tensorrt runs Gemm with per-group of 64 or "
       "per-group of 128 weights"});
  row("everything is generic", kConv,
      R"("backend": "generic", "default": {"weight": {"type": "int2",
         "granularity": "per-group:1:3", "symmetric": false}, "activation": {"type": "fp8e5m2",
         "mode": "dynamic"}})",
      {});
  row("static recurrence", kLstm, R"("backend": "x86")",
      {"'lstm' asks for activations uint8 asymmetric per-tensor static, outputs uint8 asymmetric "
       "per-tensor static; the nearest is activations uint8 asymmetric per-tensor dynamic, outputs "
       "fp32: x86 runs LSTM with dynamic activations, outputs of fp32 only: it stays float"});
  row("no recurrence at all", kLstm, R"("backend": "tensorrt")", {});
  row("asked for by name", kLstm, R"("backend": "tensorrt", "op_types": {"LSTM": {}})",
      {"'lstm' asks for weights int8 symmetric per-channel, activations uint8 asymmetric "
       "per-tensor "
       "static, outputs uint8 asymmetric per-tensor static; the nearest is fp32: tensorrt does not "
       "quantize LSTM: it stays float"});
  row("an operator without a kernel, by default", kActivations, R"("backend": "x86")", {});
  row("by a pattern, which also names what is no data", kActivations,
      R"("patterns": [{"match": "s.*", "use": {}}, {"match": ".*", "use": {}}])",
      {"'softplus' asks for activations uint8 asymmetric per-tensor static, outputs uint8 "
       "asymmetric per-tensor static; the nearest is fp32: x86 does not quantize Softplus: it "
       "stays "
       "float"});
  row("a range where there is a fixed one", kActivations,
      R"("nodes": {"sigmoid": {"output": {"range": [0, 0.5]}}})",
      {"'sigmoid' asks for outputs uint8 asymmetric per-tensor static from 0 to 0.5; the nearest "
       "is "
       "outputs uint8 asymmetric per-tensor static: x86 runs Sigmoid with one fixed range of its "
       "output"});
}

void BackendCheckTest::notSupported() {
  QFETCH(QString, graph);
  QFETCH(QString, keys);
  QFETCH(QStringList, expected);
  const Workers workers(1);
  const Engine engine(graphFromText(graph.toUtf8().constData()), workers);
  const Configuration config =
      parseConfiguration(("{\"quantscope\": 1, " + keys + "}").toStdString(), "config");
  QStringList found;
  for (const std::string& sentence : sentences(
           validateConfig(engine, *config.precision, *findBackend(config.precision->backend)))) {
    found << QString::fromStdString(sentence);
  }
  QCOMPARE(found, expected);
}

void BackendCheckTest::theNearestIsPossible_data() {
  QTest::addColumn<QString>("graph");
  QTest::addColumn<QString>("backend");
  for (const std::string& backend : backendNames()) {
    for (const auto& [name, graph] : {std::pair{"Conv", kConv}, {"Gemm", kGemm}, {"LSTM", kLstm}}) {
      QTest::addRow("%s, %s", backend.c_str(), name)
          << QString(graph) << QString::fromStdString(backend);
    }
  }
}

// Whatever was asked for: the nearest precision as an entry for the node asks for nothing that the
// backend cannot do.
void BackendCheckTest::theNearestIsPossible() {
  QFETCH(QString, graph);
  QFETCH(QString, backend);
  const Workers workers(1);
  const Engine engine(graphFromText(graph.toUtf8().constData()), workers);
  for (const char* type : {"fp16", "fp8e4m3", "int16", "int8", "uint8", "int4", "ternary"}) {
    for (const char* granularity : {"per-tensor", "per-channel", "per-group:0:3"}) {
      for (const char* mode : {"static", "dynamic"}) {
        PrecisionConfig config =
            *parseConfiguration(
                 QString(
                     R"({"quantscope": 1, "default": {"weight": {"type": "%1", "granularity": "%2"},
                        "activation": {"type": "%1", "mode": "%3"}}})")
                     .arg(type, granularity, mode)
                     .toStdString(),
                 "config")
                 .precision;
        config.backend = backend.toStdString();
        const Backend& machine = *findBackend(config.backend);
        for (const NotSupported& entry : validateConfig(engine, config, machine)) {
          QVERIFY(entry.asked != entry.nearest);
          config.nodes.emplace_back(entry.node, entry.nearestPrecision);
        }
        const std::vector<NotSupported> left = validateConfig(engine, config, machine);
        QVERIFY2(left.empty(), left.empty() ? "" : sentences(left).front().c_str());
      }
    }
  }
}

QUANTSCOPE_TEST(BackendCheckTest)
#include "test_backend_check.moc"
