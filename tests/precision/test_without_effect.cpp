#include <QtTest>

#include "base/workers.h"
#include "precision/backend/without_effect.h"
#include "precision/config/configuration.h"
#include "precision/edits/type_choices.h"
#include "precision/parameters/quantized_model.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::graphFromText;

namespace {

constexpr const char* kConvolutionAndProduct = R"(
  input x:float[1,2,2,2]
  w:float[2,2,1,1]{1, 2, 3, 4}
  m:float[8,3]
  a = Conv(x, w) @conv
  r = Relu(a) @relu
  f = Flatten(r) @flat
  p = MatMul(f, m) @product
  t = Tanh(p) @tanh
  y = Einsum(t, t) equation="ij,kj->ik" @attention
  s = ArgMax(p) axis=1 @best
  output y
  output s
)";

constexpr const char* kLookUp = R"(
  input i:int64[1,2]
  table:float[3,2]{1, 2, 3, 4, 5, 6}
  e = Gather(table, i) @embedding
  y = Softmax(e) axis=-1 @softmax
  output y
)";

constexpr const char* kEinsum =
    "backend x86 leaves in float what others quantize: Einsum ('attention')";

Configuration configOf(const QString& keys) {
  return parseConfiguration(("{\"quantscope\": 1, " + keys + "}").toStdString(), "config");
}

QStringList sentencesOn(const Engine& engine, const Configuration& config) {
  const ResolvedConfig resolved(engine.graph(), *config.precision);
  const std::shared_ptr<const Backend> backend = findBackend(config.precision->backend);
  const ConfiguredLayers configured{engine, *backend, resolved};
  const ObserverGroups groups = findObserverGroups(configured);
  const ResolvedEncodings encodings(engine, *config.encodings, configured.layers,
                                    configured.quantized, groups);
  QStringList found;
  for (const std::string& sentence : noticesOf(findWithoutEffect(configured, groups, encodings))) {
    found << QString::fromStdString(sentence);
  }
  return found;
}

QStringList sentencesOn(const char* graph, const QString& keys) {
  const Workers workers(1);
  return sentencesOn(Engine(graphFromText(graph), workers), configOf(keys));
}

}  // namespace

/// Settings without effect are reported, and only those.
class WithoutEffectTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sentences_data();
  void sentences();
  void ofEncodings_data();
  void ofEncodings();
  void ofManyEncodings();
  void ofALookUp_data();
  void ofALookUp();
  void typesOfLayers();
};

void WithoutEffectTest::sentences_data() {
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QStringList>("expected");
  const auto row = [](const char* name, const char* keys, QStringList expected,
                      bool einsum = true) {
    if (einsum) expected << kEinsum;
    QTest::newRow(name) << QString(keys) << expected;
  };
  row("nothing is asked for", R"("backend": "x86")", {});
  row("the backend has it", R"("backend": "generic")", {}, false);
  row("left in float on purpose", R"("nodes": {"attention": "fp32"})", {}, false);
  row("an entry for a data mover", R"("nodes": {"flat": {"output": {"type": "int8"}}})",
      {"'nodes.flat' has no effect: Flatten only moves data"});
  row("an operator type that moves data", R"("op_types": {"Flatten": "fp32"})",
      {"'op_types.Flatten' has no effect: Flatten only moves data"});
  row("a pattern that matches others too", R"("patterns": [{"match": "flat|conv", "use": "fp32"}])",
      {});
  row("no float data", R"("nodes": {"best": {}})",
      {"'nodes.best' has no effect: 'best' computes no float data"});
  row("a part of a layer", R"("op_types": {"Relu": {"output": {"type": "int8"}}})",
      {"'op_types.Relu' has no effect: 'relu' is a part of 'conv'"});
  row("a node of its own",
      R"("backend": "generic", "nodes": {"relu": {"output": {"observer": "mse"}}})", {}, false);
  row("weights where there are none", R"("nodes": {"tanh": {"weight": {"type": "int4"}}})",
      {"'nodes.tanh.weight' has no effect: Tanh has no constant weights here"});
  row("weights as by default", R"("nodes": {"tanh": {"weight": {"type": "int8"}}})", {});
  row("weights left out, others by default",
      R"("default": {"weight": {"type": "int4"}}, "nodes": {"tanh": {"activation": {"observer": "mse"}}})",
      {});
  row("weights left out, other codes by default",
      R"("default": {"weight": {"qmin": -127}}, "nodes": {"tanh": {"activation": {"observer": "mse"}}})",
      {});
  row("weights of some", R"("patterns": [{"match": ".*", "use": {"weight": {"type": "int4"}}}])",
      {}, false);
  row("an observer of dynamic ranges",
      R"("nodes": {"product": {"activation": {"mode": "dynamic", "observer": "mse"}}})",
      {"'nodes.product.activation.observer' has no effect: mse: each sample's own range is taken "
       "while it runs"});
  row("an observer of fp16",
      R"("default": {"activation": {"type": "fp16", "observer": "kl"}, "output": {}})",
      {"'default.activation.observer' has no effect: kl: fp16 has no scale"});
  // It is the default that asks.
  row("an observer that fp16 has from the defaults",
      R"("default": {"weight": {"observer": "mse"}},
         "nodes": {"product": {"weight": {"type": "fp16", "observer": "mse"}}})",
      {});
  row("an observer beside a range",
      R"("default": {"output": {"observer": "mse", "range": [0, 1]}})",
      {"'default.output.observer' has no effect: mse: the range is set by hand"});
  row("scales per channel of fp16",
      R"("default": {"activation": {"type": "fp16", "granularity": "per-channel:1"}})",
      {"'default.activation.granularity' has no effect: per-channel:1: fp16 has no scale"});
  row("scales per group of fp16",
      R"("nodes": {"conv": {"weight": {"type": "fp16", "granularity": "per-group:1:2"}}})",
      {"'nodes.conv.weight.granularity' has no effect: per-group:1:2: fp16 has no scale"});
  row("scales that fp16 has from the defaults",
      R"("default": {"weight": {"granularity": "per-channel:0"}},
         "nodes": {"conv": {"weight": {"type": "fp16", "granularity": "per-channel:0"}}})",
      {});
  row("one scale of fp16",
      R"("default": {"weight": {"type": "fp16", "granularity": "per-tensor"}})", {});
  row("biases of integers", R"("bias": "int32")", {});
  row("biases of integers beside floats",
      R"("bias": "int32", "default": {"activation": {"type": "fp16"}})",
      {"'bias' has no effect: int32: no layer with a bias has static integer inputs and, per "
       "tensor or channel, integer weights"});
  row("biases of integers beside dynamic inputs",
      R"("bias": "int32-fit", "default": {"activation": {"mode": "dynamic"}})",
      {"'bias' has no effect: int32-fit: no layer with a bias has static integer inputs and, per "
       "tensor or channel, integer weights"});
  row("biases of integers beside weights in groups",
      R"("bias": "int32", "default": {"weight": {"granularity": "per-group:1:2"}})",
      {"'bias' has no effect: int32: no layer with a bias has static integer inputs and, per "
       "tensor or channel, integer weights"});
  row("float biases", R"("bias": "float", "default": {"activation": {"type": "fp16"}})", {});
  row("biases of integers in one layer",
      R"("bias": "int32", "default": "fp32", "op_types": {"Conv": {}})", {}, false);
  // The rule speaks of the layer as it is without its entry.
  row("biases of integers but for an entry",
      R"("bias": "int32", "nodes": {"conv": {"activation": {"mode": "dynamic"}}})", {});
  row("an observer of ternary weights",
      R"("default": {"weight": {"type": "ternary", "observer": "percentile:1:99"}})",
      {"'default.weight.observer' has no effect: percentile:1:99: the mean magnitude sets the "
       "scale of ternary"});
  row("a moving average of weights", R"("default": {"weight": {"observer": "moving-average"}})",
      {"'default.weight.observer' has no effect: moving-average: weights have no batches, it is "
       "their minimum and maximum"});
  row("each sample's range of a type without a scale",
      R"("backend": "generic", "nodes": {"product": {"weight": {"type": "fp16"},
         "activation": {"type": "fp16", "symmetric": true, "mode": "dynamic"}}})",
      {"'nodes.product.activation.mode' has no effect: dynamic: fp16 has no scale"}, false);
  row("the same by default",
      R"("backend": "generic", "default":
         {"activation": {"type": "fp16", "symmetric": true, "mode": "dynamic"}})",
      {"'default.activation.mode' has no effect: dynamic: fp16 has no scale"}, false);
  row("the mode that the operator type asks for",
      R"("backend": "generic", "op_types": {"MatMul": {"activation": {"mode": "dynamic"}}},
         "nodes": {"product": {"weight": {"type": "fp16"},
         "activation": {"type": "fp16", "symmetric": true, "mode": "dynamic"}}})",
      {}, false);
  row("observers that observe",
      R"("default": {"weight": {"observer": "mse"}, "activation": {"observer": "kl"}})", {});
}

void WithoutEffectTest::sentences() {
  QFETCH(QString, keys);
  QFETCH(QStringList, expected);
  QCOMPARE(sentencesOn(kConvolutionAndProduct, keys), expected);
}

void WithoutEffectTest::ofEncodings_data() {
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QString>("encodings");
  QTest::addColumn<QStringList>("beaten");
  const auto row = [](const char* name, const char* keys, const char* encodings,
                      const QStringList& beaten) {
    QTest::newRow(name) << QString(keys) << QString(encodings) << beaten;
  };
  constexpr const char* kWeight = R"("m": {"type": "int8", "scale": [0.5]})";
  constexpr const char* kPerChannel = R"("m": {"type": "int8", "scale": [1, 2, 3], "axis": 1})";
  constexpr const char* kEdge =
      R"("[\"product\",\"tanh\"]": {"type": "uint8", "scale": [0.5], "zero_point": [3]})";
  constexpr const char* kOutput = R"("tanh": {"type": "uint8", "scale": [0.5], "zero_point": [3]})";
  const std::string both = std::string(kEdge) + ", " + kOutput;
  row("an observer of weights", R"("nodes": {"product": {"weight": {"observer": "mse"}}})", kWeight,
      {"nodes.product.weight.observer"});
  row("of all layers, which the default asks for",
      R"("default": {"weight": {"observer": "mse"}, "activation": {"observer": "mse"}})", kWeight,
      {});
  row("of an entry, as by default",
      R"("default": {"weight": {"observer": "mse"}},
         "nodes": {"product": {"weight": {"observer": "mse"}}})",
      kWeight, {});
  row("without an encoding", R"("nodes": {"product": {"weight": {"observer": "mse"}}})", "", {});
  row("of another weight", R"("nodes": {"conv": {"weight": {"observer": "mse"}}})", kWeight, {});
  row("of a rule for others too",
      R"("patterns": [{"match": "product|conv", "use": {"weight": {"observer": "mse"}}}])", kWeight,
      {});
  row("of an operator type", R"("op_types": {"MatMul": {"weight": {"observer": "mse"}}})", kWeight,
      {"op_types.MatMul.weight.observer"});
  row("a range of weights", R"("nodes": {"product": {"weight": {"range": [-1, 1]}}})", kWeight,
      {"nodes.product.weight.range"});
  row("another granularity", R"("nodes": {"product": {"weight": {"granularity": "per-tensor"}}})",
      kPerChannel, {"nodes.product.weight.granularity"});
  row("the same granularity", R"("nodes": {"product": {"weight": {"granularity": "per-tensor"}}})",
      kWeight, {});
  row("a range of an edge, while the output has none",
      R"("nodes": {"tanh": {"activation": {"range": [0, 1]}}})", kEdge, {});
  row("a range of an edge and of the output",
      R"("nodes": {"tanh": {"activation": {"range": [0, 1]}}})", both.c_str(),
      {"nodes.tanh.activation.range"});
  row("a range of an edge alone",
      R"("nodes": {"tanh": {"activation": {"range": [0, 1]}, "output": {"observer": "kl"}}})",
      kEdge, {"nodes.tanh.activation.range"});
  row("an observer of an output", R"("nodes": {"tanh": {"output": {"observer": "kl"}}})", kOutput,
      {"nodes.tanh.output.observer"});
}

void WithoutEffectTest::ofEncodings() {
  QFETCH(QString, keys);
  QFETCH(QString, encodings);
  QFETCH(QStringList, beaten);
  QStringList expected;
  for (const QString& key : beaten) {
    expected << "'" + key + "' has no effect: encodings set those scales";
  }
  QCOMPARE(sentencesOn(kConvolutionAndProduct,
                       R"("backend": "generic", )" + keys + ", \"encodings\": {" + encodings + "}"),
           expected);
}

// As a repaired configuration has them: one sentence for all.
void WithoutEffectTest::ofManyEncodings() {
  QString graph = "input x:float[1,2]\n";
  QString nodes;
  QString encodings;
  for (int i = 0; i < 10; ++i) {
    const QString n = QString::number(i);
    graph += "w" + n + ":float[2,2]\nv" + n + " = MatMul(" +
             (i == 0 ? "x" : "v" + QString::number(i - 1)) + ", w" + n + ") @n" + n + "\n";
    nodes += (i == 0 ? "" : ", ") + ("\"n" + n + R"(": {"weight": {"observer": "mse"}})");
    encodings += (i == 0 ? "" : ", ") + ("\"w" + n + R"(": {"type": "int8", "scale": [0.5]})");
  }
  graph += "output v9\n";
  const QStringList found = sentencesOn(
      graph.toUtf8().constData(), "\"nodes\": {" + nodes + "}, \"encodings\": {" + encodings + "}");
  QCOMPARE(found.size(), 1);
  QVERIFY2(found[0].startsWith("'nodes.n0.weight.observer', 'nodes.n1.weight.observer', "),
           qPrintable(found[0]));
  QVERIFY2(found[0].endsWith(
               "'nodes.n7.weight.observer' and 2 more keys have no effect: encodings set those "
               "scales"),
           qPrintable(found[0]));
}

void WithoutEffectTest::ofALookUp_data() {
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QStringList>("expected");
  const auto row = [](const char* name, const char* keys, QStringList expected) {
    QTest::newRow(name) << QString(keys) << expected;
  };
  row("nothing is asked for", R"("backend": "generic")", {});
  row("activations and outputs of a table",
      R"("backend": "generic", "nodes": {"embedding":
         {"activation": {"type": "int4", "observer": "mse"}, "output": {"type": "int4"}}})",
      {"'nodes.embedding.activation' has no effect: Gather reads no activations here",
       "'nodes.embedding.output' has no effect: the output of Gather stays on the grids of its "
       "weights"});
  row("activations of a table and of others",
      R"("backend": "generic", "patterns": [{"match": ".*", "use": {"activation": {"type": "int4"}}}])",
      {});
  // Repairs set the observer of all precisions.
  row("activations left out, the observer of all",
      R"("backend": "generic", "default": {"activation": {"type": "int8", "observer": "mse"}},
         "nodes": {"embedding": {"weight": {"type": "int4"}, "activation": {"observer": "mse"}}})",
      {});
  row("weights of a table",
      R"("backend": "generic", "nodes": {"embedding": {"weight": {"type": "int4"}}})", {});
  row("an observer where the backend sets the range",
      R"("backend": "onnxruntime", "op_types": {"Softmax": {"output": {"observer": "mse"}}})",
      {"'op_types.Softmax.output.observer' has no effect: mse: backend onnxruntime sets the range "
       "of that output"});
  row("an observer where no backend sets it",
      R"("backend": "generic", "op_types": {"Softmax": {"output": {"observer": "mse"}}})", {});
  row("an observer of another grid than the backend's",
      R"("backend": "onnxruntime",
         "op_types": {"Softmax": {"output": {"observer": "mse", "symmetric": true}}})",
      {});
}

void WithoutEffectTest::ofALookUp() {
  QFETCH(QString, keys);
  QFETCH(QStringList, expected);
  QCOMPARE(sentencesOn(kLookUp, keys), expected);
}

// What searches set asks for nothing in vain.
void WithoutEffectTest::typesOfLayers() {
  const Workers workers(1);
  const Configuration config = configOf(
      R"("backend": "generic",
         "op_types": {"Conv": {"weight": {"type": "int4", "granularity": "per-group:1:2"},
                               "activation": {"granularity": "per-channel"}}})");
  for (const char* graph : {kConvolutionAndProduct, kLookUp}) {
    const auto engine = std::make_shared<const Engine>(graphFromText(graph), workers);
    const auto model =
        std::make_shared<const QuantizedModel>(quantizeModel(*engine, config, Observations()));
    const QStringList before = sentencesOn(*engine, config);
    const TypeChoices choices(engine, config, model);
    for (std::size_t layer = 0; layer < choices.layerCount(); ++layer) {
      for (const QuantType type : {QuantType::Int16, QuantType::Float16, QuantType::Int4}) {
        const Configuration edited = choices.setType({layer}, type).apply(config);
        for (const QString& sentence : sentencesOn(*engine, edited)) {
          QVERIFY2(before.contains(sentence), qPrintable(sentence));
        }
      }
    }
  }
}

QUANTSCOPE_TEST(WithoutEffectTest)
#include "test_without_effect.moc"
