#include <QtTest>

#include "base/workers.h"
#include "precision/backend/without_effect.h"
#include "precision/config/configuration.h"
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

constexpr const char* kEinsum =
    "backend x86 leaves in float what others quantize: Einsum ('attention')";

}  // namespace

/// Settings without effect are reported, and only those.
class WithoutEffectTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sentences_data();
  void sentences();
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
  row("a node of its own", R"("nodes": {"relu": {"output": {"type": "int8"}}})", {});
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
  row("an observer of ternary weights",
      R"("default": {"weight": {"type": "ternary", "observer": "percentile:1:99"}})",
      {"'default.weight.observer' has no effect: percentile:1:99: the mean magnitude sets the "
       "scale of ternary"});
  row("a moving average of weights", R"("default": {"weight": {"observer": "moving-average"}})",
      {"'default.weight.observer' has no effect: moving-average: weights have no batches, it is "
       "their minimum and maximum"});
  row("observers that observe",
      R"("default": {"weight": {"observer": "mse"}, "activation": {"observer": "kl"}})", {});
}

void WithoutEffectTest::sentences() {
  QFETCH(QString, keys);
  QFETCH(QStringList, expected);
  const Workers workers(1);
  const Engine engine(graphFromText(kConvolutionAndProduct), workers);
  const Configuration config =
      parseConfiguration(("{\"quantscope\": 1, " + keys + "}").toStdString(), "config");
  const ResolvedConfig resolved(engine.graph(), *config.precision);
  const std::shared_ptr<const Backend> backend = findBackend(config.precision->backend);
  QStringList found;
  for (const std::string& sentence : findWithoutEffect({engine, *backend, resolved})) {
    found << QString::fromStdString(sentence);
  }
  QCOMPARE(found, expected);
}

QUANTSCOPE_TEST(WithoutEffectTest)
#include "test_without_effect.moc"
