#include "analysis/cost/summary.h"

#include <QtTest>

#include "analysis/cost/weight_cost.h"
#include "analysis/layer_report.h"
#include "precision/quantized_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// What the parameters of a network take as stored.
class SummaryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bytes_data();
  void bytes();
  void meanBitsOfCodes();
  void entriesAreNamed();
};

namespace {

// Two layers compute their weights from one initializer, each for itself.
constexpr const char* kTwice = R"(
  input x:float[1,2]
  w:float[2,2]{1, 2, 3, 4}
  v = Transpose(w)
  u = Transpose(w)
  a = MatMul(x, v) @one
  y = MatMul(a, u) @other
  output y
)";

// Each of them has a half of it.
constexpr const char* kHalves = R"(
  input x:float[1,2]
  w:float[4,2]{1, 2, 3, 4, 5, 6, 7, 8}
  v, u = Split(w) axis=0
  a = MatMul(x, v) @one
  y = MatMul(a, u) @other
  output y
)";

// Limits stand beside the weight.
constexpr const char* kLimits = R"(
  input x:float[1,2]
  v:float[2,2]{1, 2, 3, 4}
  low:float[]{0}
  high:float[]{6}
  a = MatMul(x, v) @one
  y = Clip(a, low, high) @clip
  output y
)";

// Another tool has quantized the weight already.
constexpr const char* kCodes = R"(
  input x:float[1,2]
  q:int8[2,2]{1, 2, 3, 4}
  s:float[]{0.5}
  w = DequantizeLinear(q, s)
  y = MatMul(x, w) @one
  output y
)";

}  // namespace

// Codes take a byte each, and each of two channels a scale of four.
void SummaryTest::bytes_data() {
  QTest::addColumn<QByteArray>("network");
  QTest::addColumn<QString>("floats");
  QTest::addColumn<int>("inFloat");
  QTest::addColumn<int>("stored");
  const auto row = [](const char* name, const char* network, const char* floats, int inFloat,
                      int stored) {
    QTest::newRow(name) << QByteArray(network) << QString(floats) << inFloat << stored;
  };
  row("one weight read twice", kTwice, "", 16, 4 + 8);
  row("in two forms", kTwice, R"("one": "fp32")", 16, 16 + 4 + 8);
  row("all in float", kTwice, R"("one": "fp32", "other": "fp32")", 16, 16);
  row("two halves", kHalves, "", 32, 2 * (4 + 8));
  row("a half in float keeps the whole", kHalves, R"("one": "fp32")", 32, 32 + 4 + 8);
  row("codes quantized again", kCodes, "", 16, 4 + 8);
  row("codes left as they are", kCodes, R"("one": "fp32")", 16, 4 + 4);
  row("limits are no parameters", kLimits, "", 16, 4 + 8);
}

void SummaryTest::bytes() {
  QFETCH(const QByteArray, network);
  QFETCH(const QString, floats);
  QFETCH(const int, inFloat);
  QFETCH(const int, stored);
  const QString config = QStringLiteral(R"({"quantscope": 1, "nodes": {%1}})").arg(floats);
  const QuantizedCase test(network.constData(), {Tensor::of<float>(Shape{1, 2}, {1, -2})},
                           config.toStdString());
  const QuantizationSummary summary = summarize(test.engine, test.model, test.observations);
  QCOMPARE(static_cast<int>(summary.floatBytes), inFloat);
  QCOMPARE(static_cast<int>(summary.quantizedBytes), stored);
  QCOMPARE(summary.memorySavedBytes, static_cast<double>(inFloat - stored));
}

// Scales are no weights.
void SummaryTest::meanBitsOfCodes() {
  const Tensor input = Tensor::of<float>(Shape{1, 2}, {1, -2});
  const QuantizedCase again(kCodes, {input}, R"({"quantscope": 1})");
  const WeightCost cost = allWeightsCost(again.engine, again.model);
  QCOMPARE(cost.elements, 4.0);
  QCOMPARE(cost.meanBits(), 8.0);
  // Left alone, they are as small as they were.
  const QuantizedCase left(kCodes, {input}, R"({"quantscope": 1, "nodes": {"one": "fp32"}})");
  const WeightCost own = weightCost(left.engine, left.model.layers.back());
  QCOMPARE(own.bytes, 4.0 + 4);
  QCOMPARE(own.bits, 4.0 * 8);
}

void SummaryTest::entriesAreNamed() {
  PrecisionConfig config;
  config.defaults.float32 = true;
  QCOMPARE(describeDefault(config), std::string("fp32"));
  config.opTypes.emplace_back("Conv", NodePrecision());
  QCOMPARE(describeDefault(config), std::string("fp32, with entries for operators"));
  config.nodes.emplace_back("conv", NodePrecision());
  QCOMPARE(describeDefault(config),
           std::string("fp32, with entries for operators and single nodes"));
}

QUANTSCOPE_TEST(SummaryTest)
#include "test_summary.moc"
