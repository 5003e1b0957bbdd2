#include "analysis/cost/model_cost.h"

#include <QtTest>

#include "precision/quantized_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Multiply-accumulates of a sample and bits of the weights.
class ModelCostTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void workedByHand_data();
  void workedByHand();
  void codesOfAnotherTool_data();
  void codesOfAnotherTool();
  void withoutWeightsThereAreNoBits();
};

namespace {

QByteArray words(const ModelCost& cost) {
  const auto word = [](const std::optional<double>& figure) {
    return figure ? QByteArray::number(*figure) : QByteArray("-");
  };
  return word(cost.macs) + " MACs, " + word(cost.meanBits) + " bits";
}

ModelCost costOf(const char* network, const std::string& config) {
  const QuantizedCase test(
      network,
      {Tensor::of<float>(Shape{1, 2}, {1, -2}), Tensor::of<float>(Shape{1, 2}, {2, 3}),
       Tensor::of<float>(Shape{1, 2}, {-1, 4})},
      config);
  return modelCost(test.engine, test.model, test.observations);
}

std::string withNodes(const QByteArray& nodes) {
  return R"({"quantscope": 1, "backend": "generic", "nodes": {)" + nodes.toStdString() + "}}";
}

}  // namespace

// Products of [1, 2] with [2, 2] and of [1, 2] with [2, 4]: 4 + 8 for each of three samples; 4 and
// 8 elements of weights.
void ModelCostTest::workedByHand_data() {
  QTest::addColumn<QByteArray>("nodes");
  QTest::addColumn<QByteArray>("expected");
  QTest::newRow("all in int8") << QByteArray() << QByteArray("12 MACs, 8 bits");
  QTest::newRow("one in float") << QByteArray(R"("one": "fp32")") << QByteArray("12 MACs, 16 bits");
  QTest::newRow("the other in int16") << QByteArray(R"("other": {"weight": {"type": "int16"}})")
                                      << QByteArray("12 MACs, 13.3333 bits");
}

void ModelCostTest::workedByHand() {
  constexpr const char* kTwoWeights = R"(
    input x:float[1,2]
    v:float[2,2]{1, 2, 3, 4}
    u:float[2,4]{1, 2, 3, 4, 5, 6, 7, 8}
    a = MatMul(x, v) @one
    y = MatMul(a, u) @other
    output y
  )";
  QFETCH(const QByteArray, nodes);
  QTEST(words(costOf(kTwoWeights, withNodes(nodes))), "expected");
}

// Four codes of 8 bits with two scales and zero points, which count as bytes only.
void ModelCostTest::codesOfAnotherTool_data() {
  QTest::addColumn<QByteArray>("nodes");
  QTest::addColumn<QByteArray>("expected");
  QTest::newRow("left as they are")
      << QByteArray(R"("one": "fp32")") << QByteArray("4 MACs, 8 bits");
  QTest::newRow("quantized again to 4 bits")
      << QByteArray(R"("one": {"weight": {"type": "int4"}})") << QByteArray("4 MACs, 4 bits");
}

void ModelCostTest::codesOfAnotherTool() {
  constexpr const char* kCodesPerChannel = R"(
    input x:float[1,2]
    q:int8[2,2]{1, 2, 3, 4}
    s:float[2]{0.5, 0.25}
    z:int8[2]{0, 1}
    w = DequantizeLinear(q, s, z) axis=1
    y = MatMul(x, w) @one
    output y
  )";
  QFETCH(const QByteArray, nodes);
  QTEST(words(costOf(kCodesPerChannel, withNodes(nodes))), "expected");
}

void ModelCostTest::withoutWeightsThereAreNoBits() {
  constexpr const char* kNoWeights = R"(
    input x:float[1,2]
    y = Relu(x)
    output y
  )";
  QCOMPARE(words(costOf(kNoWeights, R"({"quantscope": 1})")), QByteArray("- MACs, - bits"));
}

QUANTSCOPE_TEST(ModelCostTest)
#include "test_model_cost.moc"
