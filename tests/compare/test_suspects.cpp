#include <QtTest>
#include <cmath>
#include <limits>

#include "base/workers.h"
#include "compare/compare_models.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Which layer is suspected, and of what, where two small networks differ in one place.
class SuspectsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLayerThatDiffersIsNamed_data();
  void theLayerThatDiffersIsNamed();
  void numbersThatAreNotFinite();
  void halfTypesExplainTheirRounding();
};

namespace {

ModelComparison comparedNetworks(const QString& first, const QString& second) {
  const Workers workers(2);
  JobContext job(workers);
  const Engine ours(graphFromText(first.toStdString()), workers);
  const Engine theirs(graphFromText(second.toStdString()), workers);
  std::vector<Tensor> samples;
  float next = 0;
  for (int sample = 0; sample < 4; ++sample) {
    Tensor tensor(ElementType::Float32, Shape{1, 10});
    for (float& x : tensor.mutableValues<float>()) {
      x = std::sin(next);
      next += 0.37F;
    }
    samples.push_back(tensor);
  }
  MemorySource source(ours.graph().inputs()[0], samples);
  return compareModels(ours, theirs, source, {}, {}, job);
}

std::string suspectIn(const ModelComparison& comparison) {
  if (comparison.suspects.empty()) return {};
  return comparison.layers[comparison.suspects.front().layer].firstLayer;
}

}  // namespace

void SuspectsTest::theLayerThatDiffersIsNamed_data() {
  QTest::addColumn<QString>("network");
  QTest::addColumn<QString>("before");
  QTest::addColumn<QString>("after");
  QTest::addColumn<QString>("layer");
  // A bounded activation is a part of its product; what scales the result behind it is not.
  const QString scaled = R"(
    input x:float[1,10]
    w:float[10,10]
    c:float[1]{1}
    v:float[10,10]
    h = MatMul(x, w) @product
    r = Relu(h) @relu
    t = Tanh(r) @tanh
    m = Mul(t, c) @scale
    e = Exp(m) @exp
    y = MatMul(e, v) @last
    output y
  )";
  QTest::newRow("behind activations") << scaled << "{1}"
                                      << "{1.5}"
                                      << "scale";
  QTest::newRow("an activation") << scaled << "Relu(h)"
                                 << "Neg(h)"
                                 << "product";
}

void SuspectsTest::theLayerThatDiffersIsNamed() {
  QFETCH(QString, network);
  QFETCH(QString, before);
  QFETCH(QString, after);
  QFETCH(QString, layer);
  QVERIFY(network.contains(before));
  QCOMPARE(suspectIn(comparedNetworks(network, network)), std::string());
  QString changed = network;
  changed.replace(before, after);
  QCOMPARE(suspectIn(comparedNetworks(network, changed)), layer.toStdString());
}

void SuspectsTest::numbersThatAreNotFinite() {
  const QString network = R"(
    input x:float[1,10]
    w:float[10,10]
    h = MatMul(x, w) @product
    m = Abs(h) @magnitude
    y = MatMul(m, w) @last
    output y
  )";
  QString changed = network;
  changed.replace("Abs", "Sqrt");
  const ModelComparison comparison = comparedNetworks(network, changed);
  QVERIFY(!comparison.suspects.empty());
  const Suspect& worst = comparison.suspects.front();
  QVERIFY2(worst.reason.ends_with("are NaN or infinite, or should be"), worst.reason.c_str());
  const ComparedLayer& layer = comparison.layers[worst.layer];
  QVERIFY(layer.own && layer.own->sqnrDb == -std::numeric_limits<double>::infinity());
}

// As steep as Softmax is for large numbers, and through several layers.
void SuspectsTest::halfTypesExplainTheirRounding() {
  const QString network = R"(
    input x:float[1,10]
    w:float[10,10]
    c:float[1]{40}
    h = MatMul(x, w) @product
    m = Mul(h, c) @scale
    s = Softmax(m) axis=-1 @softmax
    y = MatMul(s, w) @last
    output y
  )";
  QString half = network;
  half.replace("h = MatMul(x, w)",
               "xh = Cast(x) to=10\n    wh = Cast(w) to=10\n"
               "    ch = Cast(c) to=10\n    h = MatMul(xh, wh)");
  half.replace("Mul(h, c)", "Mul(h, ch)");
  half.replace("y = MatMul(s, w) @last", "yh = MatMul(s, wh) @last\n    y = Cast(yh) to=1");
  const ModelComparison comparison = comparedNetworks(network, half);
  QVERIFY(comparison.outputs.at(0).error.sqnrDb < 80);
  QCOMPARE(suspectIn(comparison), std::string());
}

QUANTSCOPE_TEST(SuspectsTest)
#include "test_suspects.moc"
