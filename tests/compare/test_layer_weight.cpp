#include <QtTest>

#include "base/workers.h"
#include "compare/layer_weight.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// A square weight is turned where the operators say so, never to hide that it is wrong.
class LayerWeightTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void squareWeights_data();
  void squareWeights();
};

void LayerWeightTest::squareWeights_data() {
  QTest::addColumn<QString>("product");
  QTest::addColumn<bool>("same");
  QTest::newRow("the same") << "MatMul(x, w)" << true;
  QTest::newRow("transposed by mistake") << "MatMul(x, t)" << false;
  QTest::newRow("of another orientation") << "Gemm(x, t) transB=1" << true;
}

void LayerWeightTest::squareWeights() {
  QFETCH(QString, product);
  QFETCH(bool, same);
  const std::string text =
      "input x:float[2,3]\n"
      "w:float[3,3]{1,2,-3,-4,5,6,7,-8,9}\n"
      "t:float[3,3]{1,-4,7,2,5,-8,-3,6,9}\n";
  const Workers workers(1);
  const Engine ours(graphFromText(text + "y = MatMul(x, w)\noutput y\n"), workers);
  const Engine theirs(graphFromText(text + "y = " + product.toStdString() + "\noutput y\n"),
                      workers);
  const std::vector<WeightPair> pairs =
      pairWeights(ComparedModel(ours), ComparedModel(theirs), {NodeId(0)}, {NodeId(0)});
  QCOMPARE(pairs.size(), std::size_t{1});
  QCOMPARE(pairs[0].cosine > 0.99, same);
}

QUANTSCOPE_TEST(LayerWeightTest)
#include "test_layer_weight.moc"
