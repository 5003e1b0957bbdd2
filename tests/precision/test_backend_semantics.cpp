#include <QtTest>
#include <cmath>

#include "precision/quantized_case.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::describe;
using quantscope::test::gridText;
using quantscope::test::number;
using quantscope::test::QuantizedCase;

namespace {

const QString kByte = number(1.0 / 256);
const QString kTanh = number(2.0 / 256) + "@128";

QString backend(const char* name) {
  return QString(R"({"quantscope": 1, "backend": "%1"})").arg(name);
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// ŵ on the int8 grid of one scale, absmax / 127.
double onGrid(double weight, double absmax) {
  const double scale = absmax / 127;
  return std::nearbyint(weight / scale) * scale;
}

}  // namespace

/// The effects of a backend on a quantized graph: shared and fixed grids, reduced ranges, dynamic
/// and weight-only layers, and regions that stay float. The input lies in [0, 2.55], so that its
/// step is 0.01 with all codes of a byte.
class BackendSemanticsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void graphs_data();
  void graphs();
  void inputScale_data();
  void inputScale();
  void dynamicLstm();
  void embeddingRows();
  void einsumChannels();
  void whatIsToldOfTheModel();
};

void BackendSemanticsTest::graphs_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("config");
  QTest::addColumn<QStringList>("expected");

  const char* additionOfTwo = R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    w2:float[1,1,1,1]{10}
    a = Conv(x, w1) @c1
    b = Conv(x, w2) @c2
    y = Add(a, b) @add
    output y
  )";
  QTest::newRow("QNNPACK: both operands of an addition on one grid")
      << additionOfTwo << backend("qnnpack")
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.1",
                     "c2: in0 uint8 0.01; const1; out uint8 0.1", "add: out uint8 0.12"};
  QTest::newRow("generic: each has its own")
      << additionOfTwo << backend("generic")
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.02",
                     "c2: in0 uint8 0.01; const1; out uint8 0.1", "add: out uint8 0.12"};

  const char* softmax = R"(
    input x:float[1,1,1,2]
    y = Softmax(x) @s
    output y
  )";
  QTest::newRow("Softmax has a fixed output")
      << softmax << "" << QStringList{"s: in0 uint8 0.01; out uint8 " + kByte};
  QTest::newRow("a range set by hand beats it")
      << softmax << R"({"quantscope": 1, "nodes": {"s": {"output": {"range": [0, 2.55]}}}})"
      << QStringList{"s: in0 uint8 0.01; out uint8 0.01"};
  QTest::newRow("another type is observed")
      << softmax
      << R"({"quantscope": 1, "nodes": {"s": {"output": {"type": "int8", "symmetric": true,
             "range": [-1.27, 1.27]}}}})"
      << QStringList{"s: in0 uint8 0.01; out int8 0.01"};
  QTest::newRow("Tanh has another one, all codes even in a reduced range")
      << R"(
    input x:float[1,1,1,2]
    y = Tanh(x) @t
    output y
  )"
      << R"({"quantscope": 1, "backend": "fbgemm"})"
      << QStringList{"t: in0 uint8 " + number(2.55 / 127) + "; out uint8 " + kTanh};

  // The edge brings the sigmoid onto the grid that the Concat shares with the convolution.
  QTest::newRow("Concat of a fixed and an observed value")
      << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    a = Conv(x, w1) @c1
    b = Sigmoid(x) @s
    y = Concat(b, a) axis=1 @join
    output y
  )"
      << ""
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.02",
                     "s: in0 uint8 0.01; out uint8 " + kByte,
                     "join: in0 uint8 0.02; out uint8 0.02"};
  QTest::newRow("Concat of two fixed values, one of them moved")
      << R"(
    input x:float[1,1,1,2]
    a = Sigmoid(x) @s1
    b = Sigmoid(x) @s2
    c = Identity(b) @move
    y = Concat(a, c) axis=1 @join
    output y
  )"
      << ""
      << QStringList{"s1: in0 uint8 0.01; out uint8 " + kByte,
                     "s2: in0 uint8 0.01; out uint8 " + kByte, "move: float",
                     "join: out uint8 " + kByte};

  QTest::newRow("bounds and slopes are no activations")
      << R"(
    input x:float[1,1,1,2]
    low:float[]{0}
    high:float[]{2.55}
    slope:float[1]{0.5}
    a = Clip(x, low, high) @clip
    y = PRelu(a, slope) @prelu
    output y
  )"
      << "" << QStringList{"clip: in0 uint8 0.01; out uint8 0.01", "prelu: out uint8 0.01"};

  const char* layerNorm = R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    two:float[]{2}
    eps:float[]{1e-5}
    gamma:float[2]{1, 2}
    beta:float[2]{0, 1}
    a = Conv(x, w1) @c1
    mean = ReduceMean(a) axes=[-1] @mean
    d = Sub(a, mean) @sub
    p = Pow(d, two) @pow
    v = ReduceMean(p) axes=[-1] @variance
    e = Add(v, eps) @eps
    s = Sqrt(e) @sqrt
    n = Div(d, s) @div
    g = Mul(n, gamma) @gamma
    b = Add(g, beta) @beta
    y = Add(b, a) @residual
    output y
  )";
  const QStringList around{"c1: in0 uint8 0.01; const1; out uint8 0.02"};
  QStringList inside;
  for (const char* name :
       {"mean", "sub", "pow", "variance", "eps", "sqrt", "div", "gamma", "beta"}) {
    inside << QString(name) + ": float";
  }
  QTest::newRow("a normalization written as primitives is float")
      << layerNorm << R"({"quantscope": 1, "nodes": {"residual": "fp32"}})"
      << around + inside + QStringList{"residual: float"};
  QStringList broken = inside;
  broken[0] = "mean: out uint8 0.02";
  QTest::newRow("a node with an entry of its own breaks it")
      << layerNorm << R"({"quantscope": 1, "op_types": {"Add": "fp32", "Mul": "fp32"},
             "patterns": [{"match": "variance|residual", "use": "fp32"}],
             "nodes": {"sub": "fp32"}})"
      << around + broken + QStringList{"residual: float"};
  const char* gelu = R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    root:float[]{1.4142135}
    one:float[]{1}
    half:float[]{0.5}
    a = Conv(x, w1) @c1
    b = Div(a, root) @div
    c = Erf(b) @erf
    d = Add(c, one) @add
    e = Mul(a, d) @mul
    y = Mul(e, half) @half
    output y
  )";
  QTest::newRow("Gelu with Erf is float")
      << gelu << ""
      << around +
             QStringList{"div: float", "erf: float", "add: float", "mul: float", "half: float"};
  QTest::newRow("Gelu with Tanh is float")
      << R"(
    input x:float[1,1,1,2]
    w1:float[1,1,1,1]{2}
    c1:float[]{0.044715}
    c2:float[]{0.79788}
    one:float[]{1}
    half:float[]{0.5}
    a = Conv(x, w1) @c1
    b = Mul(c1, a) @b
    c = Mul(a, b) @c
    d = Mul(a, c) @d
    e = Add(a, d) @e
    f = Mul(c2, e) @f
    g = Tanh(f) @g
    h = Add(one, g) @h
    i = Mul(half, h) @i
    y = Mul(a, i) @y
    output y
  )"
      << "" << around + QStringList{"b: float", "c: float", "d: float", "e: float", "f: float",
                                    "g: float", "h: float", "i: float", "y: float"};
}

void BackendSemanticsTest::graphs() {
  QFETCH(QString, text);
  QFETCH(QString, config);
  QFETCH(QStringList, expected);
  const Shape shape{1, 1, 1, 2};
  const QuantizedCase testCase(
      text.toUtf8().constData(),
      {Tensor::of<float>(shape, {1.275F, 2.55F}), Tensor::of<float>(shape, {0.0F, 1.0F})},
      config.toStdString());
  QCOMPARE(describe(testCase), expected);
}

void BackendSemanticsTest::inputScale_data() {
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QString>("grid");
  const QString whole = "uint8 0.01";
  const QString reduced = "uint8 " + number(2.55 / 127);
  const auto row = [](const char* name, const char* keys, const QString& grid) {
    QTest::newRow(name) << QString(keys) << grid;
  };
  row("x86", R"("backend": "x86")", whole);
  row("x86 as PyTorch", R"("backend": "x86", "convention": "pytorch")", reduced);
  row("fbgemm", R"("backend": "fbgemm")", reduced);
  row("fbgemm as PyTorch", R"("backend": "fbgemm", "convention": "pytorch")", reduced);
  row("qnnpack as PyTorch", R"("backend": "qnnpack", "convention": "pytorch")", whole);
  row("onednn as PyTorch", R"("backend": "onednn", "convention": "pytorch")", whole);
  row("signed", R"("backend": "fbgemm", "default": {"activation": {"type": "int8"}})",
      "int8 " + number(2.55 / 127) + "@-64");
  row("codes set by hand", R"("default": {"activation": {"qmax": 127}})", reduced);
  row("codes set by hand beat the backend's",
      R"("backend": "fbgemm", "default": {"activation": {"qmin": 0, "qmax": 255}})", whole);
  row("only bytes are reduced",
      R"("backend": "fbgemm", "default": {"activation": {"type": "uint4"}})", "uint4 0.17");
}

void BackendSemanticsTest::inputScale() {
  QFETCH(QString, keys);
  QFETCH(QString, grid);
  const QuantizedCase testCase(
      R"(
    input x:float[1,1,1,2]
    w:float[1,1,1,1]{1}
    y = Conv(x, w) @c
    output y
  )",
      {Tensor::of<float>(Shape{1, 1, 1, 2}, {0.0F, 2.55F})},
      ("{\"quantscope\": 1, " + keys + "}").toStdString());
  QCOMPARE(gridText(testCase.model.layers.at(0).activation.value()), grid);
}

// One step of one cell from a state of zeros: c = σ(w_i·x)·tanh(w_c·x), h = σ(w_o·x)·tanh(c). The
// only input is its own range, so that its dynamic grid holds it.
void BackendSemanticsTest::dynamicLstm() {
  const char* text = R"(
    input x:float[1,1,1]
    w:float[1,4,1]{0.5, 0.3, 0.2, -0.1}
    r:float[1,4,1]{0.25, 0.2, 0.1, -0.1}
    y = LSTM(x, w, r) hidden_size=1 @lstm
    output y
  )";
  const std::vector<Tensor> samples{Tensor::of<float>(Shape{1, 1, 1}, {2.55F})};
  const QuantizedCase dynamic(text, samples,
                              R"({"quantscope": 1, "op_types": {"LSTM": {
      "weight": {"granularity": "per-tensor"},
      "activation": {"mode": "dynamic"}, "output": {"type": "fp32"}}}})");
  QCOMPARE(describe(dynamic), QStringList{"lstm: in0 dynamic; const1; const2"});
  const LayerQuantization& layer = dynamic.model.layers.at(0);
  QCOMPARE(gridText(layer.weight.value()), "int8 " + number(0.5 / 127));
  QCOMPARE(layer.weightElements, std::size_t{8});
  QCOMPARE(layer.weights.size(), std::size_t{2});
  QCOMPARE(layer.weights[0].input, std::size_t{1});
  QCOMPARE(layer.weights[1].input, std::size_t{2});
  QCOMPARE(layer.weights[1].params.grids.size(), std::size_t{1});
  QVERIFY(dynamic.model.notices.empty());
  const double cell = sigmoid(onGrid(0.5, 0.5) * 2.55) * std::tanh(onGrid(-0.1, 0.5) * 2.55);
  const double expected = sigmoid(onGrid(0.3, 0.5) * 2.55) * std::tanh(cell);
  // The engine's own functions are good to a few ulp.
  QVERIFY(std::abs(dynamic.run("y").at(0) - expected) < 1e-6 * std::abs(expected));
  QVERIFY(std::abs(sigmoid(0.3 * 2.55) * std::tanh(sigmoid(0.5 * 2.55) * std::tanh(-0.1 * 2.55)) -
                   expected) > 1e-5);

  // x86 has no static one: it stays float, and the user is told.
  const QuantizedCase still(text, samples);
  QCOMPARE(describe(still), QStringList{"lstm: float"});
  QCOMPARE(still.model.notices.size(), std::size_t{1});
}

void BackendSemanticsTest::embeddingRows() {
  const QuantizedCase testCase(
      R"(
    input x:int64[1]
    table:float[2,2]{127, 0.4, 12.7, 0.44}
    y = Gather(table, x) @embedding
    output y
  )",
      {Tensor::of<std::int64_t>(Shape{1}, {1}), Tensor::of<std::int64_t>(Shape{1}, {0})});
  QCOMPARE(describe(testCase), QStringList{"embedding: const0"});
  QCOMPARE(gridText(testCase.model.layers.at(0).weight.value()), QString("int8 1,0.1"));
  QVERIFY(std::abs(testCase.run("y", 0).at(1) - 0.4F) < 1e-6F);
  QVERIFY(testCase.run("y", 1).at(1) == 0.0F);
}

// A bilinear layer as exported: the weight's first axis is that of the outputs.
void BackendSemanticsTest::einsumChannels() {
  const QuantizedCase testCase(R"(
    input x:float[1,2]
    w:float[2,2,2]{127, 0, 0, 0, 0, 12.7, 0, 0}
    t = Mul(x, x) @square
    y = Einsum(x, w, t) equation="bi, oij, bj -> bo" @bilinear
    output y
  )",
                               {Tensor::of<float>(Shape{1, 2}, {1.0F, 2.0F})},
                               R"({"quantscope": 1, "backend": "generic"})");
  const QuantParams& weight = testCase.model.layers.at(1).weight.value();
  QCOMPARE(weight.axis, 0);
  QCOMPARE(gridText(weight), QString("int8 1,0.1"));
}

void BackendSemanticsTest::whatIsToldOfTheModel() {
  const auto told = [](const char* text, const Tensor& sample) {
    const QuantizedCase testCase(text, {sample});
    QStringList notices;
    for (const std::string& notice : testCase.model.notices) notices << notice.c_str();
    return notices.join(u';');
  };
  const Tensor single = Tensor::of<float>(Shape{1, 1, 1, 2}, {0.0F, 2.55F});
  constexpr const char* kLayer = R"(
    input x:float[1,1,1,2]
    w:float[1,1,1,1]{1}
    y = Conv(x, w) @c
    output y
  )";
  QCOMPARE(told(kLayer, single), QString());
  const QString later = told((std::string("opset 99\n") + kLayer).c_str(), single);
  QVERIFY2(later.startsWith("the model asks for opset 99, the newest known one is "),
           qPrintable(later));
  const QString doubles = told(R"(
    input x:double[1,1,1,2]
    w:double[1,1,1,1]{1}
    y = Conv(x, w) @c
    output y
  )",
                               Tensor::of<double>(Shape{1, 1, 1, 2}, {0.0, 2.55}));
  QVERIFY2(doubles.contains("float64 is left as it is"), qPrintable(doubles));
}

QUANTSCOPE_TEST(BackendSemanticsTest)
#include "test_backend_semantics.moc"
