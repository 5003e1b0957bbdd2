#include <QtTest>

#include "base/error.h"
#include "precision/quantized_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

Tensor image(std::initializer_list<float> pixels) {
  return Tensor::of<float>(Shape{1, 1, 1, static_cast<std::int64_t>(pixels.size())}, pixels);
}

constexpr const char* kFp32Second = R"({"quantscope": 1, "nodes": {"c2": "fp32"}})";

}  // namespace

/// The semantics of a quantized graph, edge by edge, on small graphs whose numbers are computed by
/// hand. The default of a row: weights int8 symmetric per channel, activations uint8 asymmetric per
/// tensor, both from minimum and maximum.
class SemanticsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void graphs_data();
  void graphs();
  void weightsArePerChannelAlongTheOutputAxis_data();
  void weightsArePerChannelAlongTheOutputAxis();
  void foldedNormalizationIsExact();
  void foldedIntoDepthwiseTransposed();
  void weightOnlyInt4PerGroup();
  void dynamicRangesFollowEachSample();
  void symmetricUint8HasItsZeroInTheMiddle();
  void contradictionInsideAForcedGroup();
  void nodesThatMatchNothing();
};

void SemanticsTest::graphs_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("config");
  QTest::addColumn<QStringList>("expected");

  // Input in [0, 2.55] (step 0.01); conv1 multiplies by 2: [0, 5.1], step 0.02; ReLU is part of it,
  // so that conv2 reads what stands on conv1's grid already.
  QTest::newRow("Conv, ReLU, Conv")
      << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    w2:float[1,1,1,1]{-1}
    a = Conv(x, w1) @c1
    r = Relu(a) @relu
    y = Conv(r, w2) @c2
    output y
  )"
      << ""
      << QStringList{"c1+relu: in0 uint8 0.01; const1; out uint8 0.02",
                     "c2: const1; out uint8 0.02@255"};

  QTest::newRow("Conv, BatchNormalization, ReLU")
      << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    gamma:float[1]{3}
    beta:float[1]{0}
    mean:float[1]{0}
    variance:float[1]{1}
    a = Conv(x, w1) @c1
    b = BatchNormalization(a, gamma, beta, mean, variance) epsilon=0.0 @norm
    y = Relu(b) @relu
    output y
  )"
      << ""
      << QStringList{"c1+norm+relu: in0 uint8 0.01; const1; const2; norm folded; out uint8 0.06"};

  // The consumer at fp32 adds nothing: it reads what conv1 leaves on its grid.
  QTest::newRow("Conv with two consumers, one at fp32")
      << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    w2:float[1,1,1,1]{1}
    a = Conv(x, w1) @c1
    y = Conv(a, w2) @c2
    z = Conv(a, w1) @c3
    output y
    output z
  )" << kFp32Second
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.02", "c2: float",
                     "c3: const1; out uint8 0.04"};

  // x86: each operand of the Add has its own range.
  QTest::newRow("Add of two Convs")
      << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    w2:float[1,1,1,1]{10}
    a = Conv(x, w1) @c1
    b = Conv(x, w2) @c2
    y = Add(a, b) @add
    output y
  )"
      << ""
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.02",
                     "c2: in0 uint8 0.01; const1; out uint8 0.1", "add: out uint8 0.12"};

  // The Concat unites its inputs and its output; whoever else reads them reads the same grid. A
  // ReLU that stands alone keeps it.
  QTest::newRow("Concat of three, two of which feed others")
      << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    w2:float[1,1,1,1]{10}
    w3:float[1,1,1,1]{1}
    a = Conv(x, w1) @c1
    b = Conv(x, w2) @c2
    c = Conv(x, w3) @c3
    y = Concat(a, b, c) axis=1 @join
    d = Conv(a, w3) @c4
    e = Relu(b) @relu
    output y
    output d
    output e
  )"
      << ""
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.1",
                     "c2: in0 uint8 0.01; const1; out uint8 0.1",
                     "c3: in0 uint8 0.01; const1; out uint8 0.1",
                     "join: out uint8 0.1",
                     "c4: const1; out uint8 0.02",
                     "relu: out uint8 0.1"};

  QTest::newRow("residual block") << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    w2:float[1,1,1,1]{3}
    a = Conv(x, w1) @c1
    b = Conv(a, w2) @c2
    s = Add(b, a) @add
    y = Relu(s) @relu
    output y
  )"
                                  << ""
                                  << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.02",
                                                 "c2: const1; out uint8 0.06",
                                                 "add+relu: out uint8 0.08"};

  // One edge of x has a range set by hand: c2 keeps its own, c1 the observed one.
  QTest::newRow("a hand-set range on one edge of a shared value")
      << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{1}
    a = Conv(x, w1) @c1
    b = Conv(x, w1) @c2
    output a
    output b
  )"
      << R"({"quantscope": 1, "nodes": {"c2": {"activation": {"type": "uint8", "symmetric": false,
         "range": [0, 5.1]}, "output": {"type": "uint8", "symmetric": false}}}})"
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.01",
                     "c2: in0 uint8 0.02; const1; out uint8 0.01"};

  // The moved value stays on the grid it came from, so that nothing is rounded again.
  QTest::newRow("data movers share")
      << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    shape:int64[2]{1, 2}
    v:float[2,1]{1, 1}
    a = Conv(x, w1) @c1
    f = Reshape(a, shape) @flat
    y = MatMul(f, v) @product
    output y
  )"
      << ""
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.02", "flat: float",
                     "product: const1; out uint8 0.03"};

  QTest::newRow("MatMul of two activations")
      << R"(
    input x:float[1,1,2,1]
    t = Transpose(x) perm=[0,1,3,2] @turn
    y = MatMul(t, x) @product
    output y
  )"
      << ""
      << QStringList{"turn: float", "product: in0 uint8 0.01; in1 uint8 0.01; out uint8 0.031875"};
}

// Samples: {0.85·2, 2.55} and so on, so that the input's step is 0.01 in every row.
void SemanticsTest::graphs() {
  QFETCH(QString, text);
  QFETCH(QString, config);
  QFETCH(QStringList, expected);
  const bool column = text.contains("x:float[1,1,2,1]");
  const Shape shape = column ? Shape{1, 1, 2, 1} : Shape{1, 1, 1, 2};
  const QuantizedCase testCase(
      text.toUtf8().constData(),
      {Tensor::of<float>(shape, {1.275F, 2.55F}), Tensor::of<float>(shape, {0.0F, 1.0F})},
      config.toStdString());
  QCOMPARE(describe(testCase), expected);
}

void SemanticsTest::weightsArePerChannelAlongTheOutputAxis_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("axis");
  QTest::addColumn<QStringList>("scales");
  QTest::newRow("Conv: axis 0") << R"(
    input x:float[1,1,1,2]
    w:float[2,1,1,1]{127, 12.7}
    y = Conv(x, w) @n
    output y
  )" << 0 << QStringList{"1", "0.1"};
  QTest::newRow("ConvTranspose: axis 1") << R"(
    input x:float[1,1,1,2]
    w:float[1,2,1,1]{127, 12.7}
    y = ConvTranspose(x, w) @n
    output y
  )" << 1 << QStringList{"1", "0.1"};
  QTest::newRow("depthwise ConvTranspose: axis 0") << R"(
    input x:float[1,2,1,1]
    w:float[2,1,1,1]{127, 12.7}
    y = ConvTranspose(x, w) group=2 @n
    output y
  )" << 0 << QStringList{"1", "0.1"};
  QTest::newRow("two inputs for an output in each group: axis 1") << R"(
    input x:float[1,4,1,1]
    w:float[4,1,1,1]{127, 12.7, 1, 2}
    y = ConvTranspose(x, w) group=2 @n
    output y
  )" << 1 << QStringList{"1"};
  QTest::newRow("MatMul: the last") << R"(
    input x:float[1,1,1,2]
    w:float[2,2]{127, 1.27, -12.7, 12.7}
    y = MatMul(x, w) @n
    output y
  )" << 1 << QStringList{"1", "0.1"};
  QTest::newRow("Gemm with transB: axis 0") << R"(
    input x:float[1,2]
    w:float[2,2]{127, 1.27, -12.7, 12.7}
    y = Gemm(x, w) transB=1 @n
    output y
  )" << 0 << QStringList{"1", "0.1"};
  QTest::newRow("Gemm without: axis 1") << R"(
    input x:float[1,2]
    w:float[2,2]{127, 1.27, -12.7, 12.7}
    y = Gemm(x, w) @n
    output y
  )" << 1 << QStringList{"1", "0.1"};
}

void SemanticsTest::weightsArePerChannelAlongTheOutputAxis() {
  QFETCH(QString, text);
  QFETCH(int, axis);
  QFETCH(QStringList, scales);
  Shape shape{1, 1, 1, 2};
  if (text.contains("x:float[1,2]")) shape = {1, 2};
  if (text.contains("x:float[1,2,1,1]")) shape = {1, 2, 1, 1};
  if (text.contains("x:float[1,4,1,1]")) shape = {1, 4, 1, 1};
  std::vector<float> numbers(static_cast<std::size_t>(shape.elementCount()), 1.0F);
  numbers.back() = 2.55F;
  const QuantizedCase testCase(text.toUtf8().constData(),
                               {Tensor::of<float>(shape, std::span<const float>(numbers))});
  const QuantParams& weight = testCase.model.layers.at(0).weight.value();
  QCOMPARE(weight.axis, axis);
  QStringList found;
  for (const Grid& grid : weight.grids) found << number(grid.scale);
  QCOMPARE(found, scales);
}

// With types left at fp32 nothing is rounded: the folded network equals the unfolded one up to
// float rounding (4 operations, each within half an ulp).
void SemanticsTest::foldedNormalizationIsExact() {
  const QuantizedCase testCase(R"(
    input x:float[1,1,1,2]
    w:float[2,1,1,1]{2, -3}
    bias:float[2]{0.5, 1}
    gamma:float[2]{3, 0.5}
    beta:float[2]{0.25, -1}
    mean:float[2]{1, 2}
    variance:float[2]{4, 0.25}
    a = Conv(x, w, bias) @c1
    y = BatchNormalization(a, gamma, beta, mean, variance) epsilon=0.0 @norm
    output y
  )",
                               {image({1.5F, 2.0F})},
                               R"({"quantscope": 1, "default": {"weight": {"type": "fp32"},
                          "activation": {"type": "fp32"}}})");
  // Channel 0: (2x + 0.5 − 1)·1.5 + 0.25; channel 1: (−3x + 1 − 2)·1 − 1.
  const std::vector<float> expected{4.0F, 5.5F, -6.5F, -8.0F};
  const std::vector<float> found = testCase.run("y");
  QCOMPARE(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    QVERIFY(std::abs(found[i] - expected[i]) <= 4 * 5e-7F * std::abs(expected[i]));
  }
}

// The statistics go with axis 0 of the weights.
void SemanticsTest::foldedIntoDepthwiseTransposed() {
  const QuantizedCase testCase(R"(
    input x:float[1,2,1,1]
    w:float[2,1,1,1]{2, -3}
    gamma:float[2]{3, 0.5}
    beta:float[2]{0.25, -1}
    mean:float[2]{1, 2}
    variance:float[2]{4, 0.25}
    a = ConvTranspose(x, w) group=2 @c1
    y = BatchNormalization(a, gamma, beta, mean, variance) epsilon=0.0 @norm
    output y
  )",
                               {Tensor::of<float>(Shape{1, 2, 1, 1}, {3.0F, 2.0F})},
                               R"({"quantscope": 1, "default": {"weight": {"type": "fp32"},
                          "activation": {"type": "fp32"}}})");
  // (2·3 − 1)·1.5 + 0.25; (−3·2 − 2)·1 − 1.
  const std::vector<float> found = testCase.run("y");
  QVERIFY(std::abs(found.at(0) - 7.75F) <= 4e-6F && std::abs(found.at(1) + 9) <= 4e-6F);
}

// Five weights in groups of two: the last group is short. Steps absmax/7: 1, 0.1 and 2.
void SemanticsTest::weightOnlyInt4PerGroup() {
  const QuantizedCase testCase(R"(
    input x:float[1,5]
    w:float[5,1]{7, 3.4, 0.7, -0.26, 14}
    y = Gemm(x, w) @g
    output y
  )",
                               {Tensor::of<float>(Shape{1, 5}, {1, 1, 1, 1, 1})},
                               R"({"quantscope": 1, "default": {
                          "weight": {"type": "int4", "granularity": "per-group:0:2"},
                          "activation": {"type": "fp32"}}})");
  const QuantParams& weight = testCase.model.layers.at(0).weight.value();
  QCOMPARE(weight.grids.size(), std::size_t{3});
  QCOMPARE(gridText(weight), QString("int4 1,0.1,2"));
  QVERIFY(!testCase.model.layers[0].activation);
  const float expected = 7.0F + 3.0F + 0.7F - 0.3F + 14.0F;
  QVERIFY(std::abs(testCase.run("y").at(0) - expected) < 1e-5F);
}

void SemanticsTest::dynamicRangesFollowEachSample() {
  const QuantizedCase testCase(R"(
    input x:float[1,2]
    w:float[2,2]{127, 0, 0, 127}
    bias:float[2]{0.123, 0}
    y = Gemm(x, w, bias) @g
    output y
  )",
                               {Tensor::of<float>(Shape{1, 2}, {2.55F, 0.014F}),
                                Tensor::of<float>(Shape{1, 2}, {255.0F, 1.4F})},
                               R"({"quantscope": 1, "default": {
                          "activation": {"type": "uint8", "symmetric": false, "mode": "dynamic"},
                          "output": {"type": "fp32"}}})");
  // The second element lies on steps of 0.01 in the first sample and of 1 in the second; the bias
  // stays float, for its grid would change with every sample.
  QVERIFY(std::abs(testCase.run("y", 0).at(1) - 127 * 0.01F) < 1e-4F);
  QVERIFY(std::abs(testCase.run("y", 1).at(1) - 127 * 1.0F) < 1e-3F);
  QVERIFY(std::abs(testCase.run("y", 0).at(0) - (127 * 2.55F + 0.123F)) < 1e-3F);
}

// absmax 2.54 over the 127 codes above the middle: step 0.02 around 128.
void SemanticsTest::symmetricUint8HasItsZeroInTheMiddle() {
  const QuantizedCase testCase(R"(
    input x:float[1,1,1,2]
    w:float[1,1,1,1]{1}
    y = Conv(x, w) @c
    output y
  )",
                               {image({-1.0F, 2.54F})},
                               R"({"quantscope": 1, "default": {"activation": {"type": "uint8",
                          "symmetric": true}}})");
  QCOMPARE(gridText(testCase.model.layers.at(0).activation.value()), QString("uint8 0.02@128"));
}

void SemanticsTest::contradictionInsideAForcedGroup() {
  const char* text = R"(
    input x:float[1,1,1,2]
    w:float[1,1,1,1]{1}
    a = Conv(x, w) @c1
    y = Concat(a, a) axis=1 @join
    output y
  )";
  try {
    const QuantizedCase testCase(text, {image({0.0F, 1.0F})},
                                 R"({"quantscope": 1, "nodes": {"join": {
                            "activation": {"type": "uint8", "symmetric": false},
                            "output": {"type": "int8"}}}})");
    QFAIL("inputs and output of a Concat share one grid");
  } catch (const Error& error) {
    QCOMPARE(error.code(), ErrorCode::InvalidConfiguration);
    QVERIFY(QString(error.what()).contains("'join'"));
  }
}

void SemanticsTest::nodesThatMatchNothing() {
  try {
    const QuantizedCase testCase("input x:float[1,1,1,2]\ny = Relu(x) @r\noutput y",
                                 {image({0.0F, 1.0F})},
                                 R"({"quantscope": 1, "nodes": {"nobody": "fp32"}})");
    QFAIL("there is no such node");
  } catch (const Error& error) {
    QVERIFY(QString(error.what()).contains("nobody"));
  }
}

QUANTSCOPE_TEST(SemanticsTest)
#include "test_semantics.moc"
