#include <QtTest>
#include <cmath>

#include "repair/repair_case.h"
#include "repair/scales/equalization.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// The weights' channels differ by 1, 4, 16 and 64.
constexpr const char* kPair = R"(
  input x:float[1,3,4,4]
  w:float[4,3,1,1]{1, 0.5, -0.5,  4, 2, 1,  0.25, 0.1, 0.2,  16, 3, -8}
  b:float[4]{1, -1, 0.5, 2}
  a = Conv(x, w, b) @first
  c = Relu(a)
  v:float[2,4,1,1]{1, 0.25, 2, -0.0625,  -0.5, 0.125, 4, 0.03125}
  y = Conv(c, v) @second
  output y
)";

constexpr const char* kChain = R"(
  input x:float[1,3,8,8]
  w:float[6,3,3,3]
  b:float[6]
  a = Conv(x, w, b) pads=[1,1,1,1] @first
  c = Relu(a)
  d:float[6,1,3,3]
  e:float[6]
  f = Conv(c, d, e) pads=[1,1,1,1] group=6 @depthwise
  g = LeakyRelu(f) alpha=0.1
  p = MaxPool(g) kernel_shape=[2,2] strides=[2,2]
  h:float[5,6,1,1]
  i = Conv(p, h) @pointwise
  j = Flatten(i)
  k:float[80,7]
  y = MatMul(j, k) @last
  output y
)";

constexpr const char* kResidual = R"(
  input x:float[1,3,8,8]
  w:float[4,3,1,1]{1, 0.5, -0.5,  40, 2, 1,  0.25, 0.1, 0.2,  16, 3, -8}
  a = Conv(x, w) @stem
  b = Relu(a)
  v:float[4,4,3,3]
  c = Conv(b, v) pads=[1,1,1,1] @inner
  d = Add(b, c)
  e = Relu(d)
  u:float[2,4,1,1]
  y = Conv(e, u) @last
  output y
)";

// Behind a layer whose channels differ, a = [1, 4, 4, 4].
QByteArray behindFirst(const char* rest) {
  return QByteArray(
             "input x:float[1,3,4,4]\n"
             "w:float[4,3,1,1]{1, 0.5, -0.5,  40, 2, 1,  0.25, 0.1, 0.2,  16, 3, -8}\n"
             "a = Conv(x, w) @first\n") +
         rest;
}

// The gate of a squeeze-and-excitation block is one more reader.
constexpr const char* kGated = R"(
  input x:float[1,3,6,6]
  a = Conv(x, w:float[4,3,1,1]{1, 0.5, -0.5,  40, 2, 1,  0.25, 0.1, 0.2,  16, 3, -8}) @stem
  b = Relu(a)
  m = ReduceMean(b) axes=[2,3] keepdims=1
  s = Conv(m, s1:float[2,4,1,1], s2:float[2]) @squeeze
  r = Relu(s)
  e = Conv(r, e1:float[4,2,1,1], e2:float[4]) @excite
  g = Sigmoid(e)
  c = Mul(b, g)
  k = Mul(c, mask:float[1,1,6,6])
  y = Conv(k, v:float[2,4,1,1]) @last
  output y
)";

constexpr const char* kShuffled = R"(
  input x:float[1,3,4,4]
  a = Conv(x, w:float[6,3,1,1]) @first
  r = Reshape(a, s1:int64[5]{1,2,3,4,4})
  t = Transpose(r) perm=[0,2,1,3,4]
  u = Reshape(t, s2:int64[4]{1,6,4,4})
  p, q = Split(u, sizes:int64[2]{2,4}) axis=1
  c = Conv(p, v:float[2,2,1,1]) @left
  d = Conv(q, z:float[2,4,1,1]) @right
  y = Add(c, d)
  output y
)";

const QByteArray kResized = behindFirst(R"(
  b = Resize(a, , f:float[4]{1,1,2,2}) mode="linear"
  h = Slice(b, s0:int64[1]{2}, s1:int64[1]{6}, s2:int64[1]{2})
  j = Concat(h, h) axis=3
  t = Transpose(j) perm=[0,2,3,1]
  y = MatMul(t, v:float[4,3]) @last
  output y
)");

// Two heads. What weighs the values has channels of its own.
constexpr const char* kAttention = R"(
  input x:float[1,5,6]
  q = MatMul(x, wq:float[6,8]) @queries
  k = MatMul(x, wk:float[6,8]) @keys
  v = MatMul(x, wv:float[6,8]) @values
  qh = Reshape(q, s:int64[4]{1,5,2,4})
  kh = Reshape(k, s)
  vh = Reshape(v, s)
  qt = Transpose(qh) perm=[0,2,1,3]
  kt = Transpose(kh) perm=[0,2,3,1]
  vt = Transpose(vh) perm=[0,2,1,3]
  z = MatMul(qt, kt)
  p = Softmax(z) axis=-1
  o = MatMul(p, vt)
  ot = Transpose(o) perm=[0,2,1,3]
  of = Reshape(ot, t:int64[3]{1,5,8})
  y = MatMul(of, wo:float[8,6]) @projection
  output y
)";

const QByteArray kTransposed = behindFirst(R"(
  b = Relu(a)
  c = ConvTranspose(b, v:float[4,3,3,3], d:float[6]) strides=[2,2] pads=[1,1,1,1] group=2 @up
  e = Relu(c)
  y = ConvTranspose(e, u:float[6,2,2,2]) strides=[2,2] @last
  output y
)");

const QByteArray kNormalized = behindFirst(R"(
  b = Relu(a)
  c = ConvTranspose(b, v:float[4,3,3,3]) strides=[2,2] group=2 @up
  g:float[6]{1, 0.1, 3, 2, 0.5, 1}
  s:float[6]{1, 0.3, 2, 1, 0.5, 4}
  n = BatchNormalization(c, g, h:float[6], m:float[6], s) @norm
  e = Relu(n)
  y = Conv(e, u:float[2,6,1,1]) @last
  output y
)");

// The half that is a gate keeps its values.
constexpr const char* kHalfGate = R"(
  input x:float[1,1,4,4]
  a = Conv(x, w:float[8,1,1,1]{1, 40, 0.25, 16,  1, 4, 0.25, 3}) @both
  p, q = Split(a, sizes:int64[2]{4,4}) axis=1
  g = Sigmoid(q)
  c = Mul(p, g)
  y = Conv(c, v:float[2,4,1,1]) @last
  output y
)";

// Each factor of the product could be scaled, but the layer behind it only once.
const QByteArray kTwoGates = behindFirst(R"(
  b = Relu(a)
  c = Conv(x, v:float[4,3,1,1]) @second
  d = Mul(b, c)
  y = Conv(d, u:float[2,4,1,1]) @last
  output y
)");

// All extents but those of channels are known only when it runs. Rows are doubled, cut off, put
// together.
constexpr const char* kDynamic = R"(
  input x:float[N,3,H,W]
  w:float[4,3,1,1]{1, 0.5, -0.5,  40, 2, 1,  0.25, 0.1, 0.2,  16, 3, -8}
  a = Conv(x, w) @first
  r = Resize(a, , f:float[4]{1,1,2,2}) mode="nearest"
  p = Pad(r, s:int64[8]{0,0,1,1,0,0,1,1})
  t = Transpose(p) perm=[0,2,3,1]
  q = Reshape(t, m:int64[2]{-1,4})
  y = MatMul(q, v:float[4,3]) @last
  output y
)";

// Rows of the matrix that is read mix channels with what comes after one another in time.
constexpr const char* kMixed = R"(
  input x:float[N,3,T]
  a = Conv(x, w:float[4,3,1]) @first
  q = Reshape(a, m:int64[2]{-1,4})
  y = MatMul(q, v:float[4,3]) @last
  output y
)";

const char* illegal(const char* between) {
  static std::string text;
  text = std::string("input x:float[1,3,4,4]\nw:float[4,3,1,1]\na = Conv(x, w) @first\n") +
         between + "\nv:float[2,4,1,1]\ny = Conv(c, v) @second\noutput y\n";
  return text.c_str();
}

std::vector<double> largestMaking(const Engine& engine, const LinearLayer& layer) {
  std::vector<double> largest(layer.outputs, 0.0);
  const Tensor weight = weightOf(engine, layer);
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    for (std::size_t k = 0; k < layer.inputs; ++k) {
      largest[o] =
          std::max<double>(largest[o], std::abs(weight.values<float>()[layer.element(o, k)]));
    }
  }
  return largest;
}

std::vector<double> largestReading(const Engine& engine, const LinearLayer& layer) {
  std::vector<double> largest(layer.inputs, 0.0);
  const Tensor weight = weightOf(engine, layer);
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    for (std::size_t k = 0; k < layer.inputs; ++k) {
      largest[k] =
          std::max<double>(largest[k], std::abs(weight.values<float>()[layer.element(o, k)]));
    }
  }
  return largest;
}

struct Equalized {
  explicit Equalized(RepairCase& network, const EqualizationRule& rule, bool powersOfTwo = false)
      : before(network.folded()) {
    RepairTools tools = network.tools();
    layers = findLinearLayers(*before.engine, *before.model);
    regions = findScaleRegions(*before.engine, *before.model, layers);
    overlay = equalize(before, layers, regions, rule, powersOfTwo);
    after = withOverlay(before, overlay, OverlayEffect::SameOutputs, tools);
  }

  RepairState before;
  LinearLayers layers;
  ScaleRegions regions;
  Overlay overlay;
  RepairState after;
};

}  // namespace

/// Cross-layer equalization: where it is legal, that it evens out, and that nothing else changes.
class EqualizationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rangesMeet();
  void floatBitsStay_data();
  void floatBitsStay();
  void regions();
  void shuffledChannelsAreFollowed();
  void whatSomethingElseReadsIsFixed();
  void unknownExtents();
  void clipsBeforeGates_data();
  void clipsBeforeGates();
  void illegal_data();
  void illegal();
  void clipsStayWhatTheyAre();
  void rectifiersReplaceClips();
  void winsBackWhatScalesLose();
};

void EqualizationTest::rangesMeet() {
  RepairCase network(kPair, kPerTensor);
  const Equalized equalized(network, {});
  const auto made = largestMaking(*equalized.after.engine, equalized.layers.layers[0]);
  const auto read = largestReading(*equalized.after.engine, equalized.layers.layers[1]);
  for (std::size_t c = 0; c < made.size(); ++c) {
    QVERIFY2(std::abs(made[c] / read[c] - 1) < 0.01,
             qPrintable(QString::number(made[c] / read[c])));
  }
}

void EqualizationTest::floatBitsStay_data() {
  QTest::addColumn<QByteArray>("network");
  QTest::newRow("pair") << QByteArray(kPair);
  QTest::newRow("chain") << QByteArray(kChain);
  QTest::newRow("residual") << QByteArray(kResidual);
  QTest::newRow("gated") << QByteArray(kGated);
  QTest::newRow("shuffled") << QByteArray(kShuffled);
  QTest::newRow("resized, cut, joined along rows") << kResized;
  QTest::newRow("attention") << QByteArray(kAttention);
  QTest::newRow("transposed") << kTransposed;
  QTest::newRow("transposed, normalized") << kNormalized;
  QTest::newRow("product of two") << kTwoGates;
  QTest::newRow("half a gate") << QByteArray(kHalfGate);
}

// With powers of two nothing rounds differently; with any factors the difference is rounding.
void EqualizationTest::floatBitsStay() {
  QFETCH(const QByteArray, network);
  RepairCase repaired(network.constData(), kPerTensor);
  const Equalized exact(repaired, {}, true);
  QVERIFY(!exact.overlay.empty());
  const auto reference = repaired.outputs(exact.before, false);
  QVERIFY(test::sqnrOf(repaired.outputs(repaired.state, false), reference) > 110);
  QVERIFY(std::ranges::equal(reference, repaired.outputs(exact.after, false), identical));
  const Equalized any(repaired, {});
  const double agreement = test::sqnrOf(reference, repaired.outputs(any.after, false));
  QVERIFY2(agreement > 110, qPrintable(QString::number(agreement)));
}

void EqualizationTest::regions() {
  const auto textOf = [](const char* network) {
    RepairCase repaired(network, kPerTensor, 4);
    const RepairState folded = repaired.folded();
    const LinearLayers layers = findLinearLayers(*folded.engine, *folded.model);
    QStringList lines;
    const auto nameOf = [&](std::size_t layer) {
      return QString::fromStdString(folded.engine->graph()[layers.layers[layer].lead].name);
    };
    for (const ScaleRegion& region :
         findScaleRegions(*folded.engine, *folded.model, layers).regions) {
      QStringList makers;
      QStringList readers;
      for (const ScaleRegion::Maker& maker : region.makers) makers << nameOf(maker.layer);
      for (const ScaleRegion::Reader& reader : region.readers) {
        const std::size_t repeat = reader.channels.size() / region.channels;
        readers << nameOf(reader.layer) + (repeat > 1 ? QString("×%1").arg(repeat) : "");
      }
      lines << makers.join(",") + "→" + readers.join(",");
    }
    return lines.join("; ");
  };
  QCOMPARE(textOf(kPair), "first→second");
  QCOMPARE(textOf(kChain), "first→depthwise; depthwise→pointwise; pointwise→last×16");
  QCOMPARE(textOf(kResidual), "stem,inner→inner,last");
  QCOMPARE(textOf(kGated), "stem→squeeze,last; squeeze→excite");
  QCOMPARE(textOf(kShuffled), "first→left,right");
  QCOMPARE(textOf(kResized.constData()), "first→last");
  QCOMPARE(textOf(kAttention), "values→projection");
  QCOMPARE(textOf(kTransposed.constData()), "first→up; up→last");
  QCOMPARE(textOf(kNormalized.constData()), "first→up; up→last");
  QCOMPARE(textOf(kTwoGates.constData()), "first→last");
  QCOMPARE(textOf(kHalfGate), "both→last");
}

// Channel o of the layer is channel 3·(o mod 2) + o/2 of two groups that are shuffled.
void EqualizationTest::shuffledChannelsAreFollowed() {
  RepairCase repaired(kShuffled, kPerTensor, 4);
  const LinearLayers layers = repaired.layers();
  const ScaleRegions found =
      findScaleRegions(*repaired.state.engine, *repaired.state.model, layers);
  const ScaleRegion& region = found.regions.at(0);
  QCOMPARE(region.makers.at(0).channels, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  QCOMPARE(region.readers.at(0).channels, (std::vector<std::uint32_t>{0, 3}));
  QCOMPARE(region.readers.at(1).channels, (std::vector<std::uint32_t>{1, 4, 2, 5}));
}

void EqualizationTest::whatSomethingElseReadsIsFixed() {
  RepairCase repaired(kHalfGate, kPerTensor, 4);
  const Equalized equalized(repaired, {});
  const ScaleRegion& region = equalized.regions.regions.at(0);
  QCOMPARE(region.fixed, (std::vector<bool>{false, false, false, false, true, true, true, true}));
  const Tensor before = weightOf(*equalized.before.engine, equalized.layers.layers[0]);
  const Tensor after = weightOf(*equalized.after.engine, equalized.layers.layers[0]);
  const auto was = before.values<float>();
  const auto is = after.values<float>();
  QVERIFY(!std::ranges::equal(was.first(4), is.first(4)));
  QVERIFY(std::ranges::equal(was.last(4), is.last(4)));
}

void EqualizationTest::unknownExtents() {
  const auto samplesOf = [](const Shape& shape) { return randomSamples(shape, 8, 3); };
  RepairCase followed(kDynamic, kPerTensor, samplesOf(Shape{2, 3, 4, 6}));
  const Equalized exact(followed, {}, true);
  QCOMPARE(exact.regions.regions.size(), std::size_t{1});
  QVERIFY(!exact.overlay.empty());
  QVERIFY(std::ranges::equal(followed.outputs(exact.before, false),
                             followed.outputs(exact.after, false), identical));

  RepairCase mixed(kMixed, kPerTensor, samplesOf(Shape{1, 3, 8}));
  const Equalized none(mixed, {});
  QVERIFY(none.regions.regions.empty());
  const std::string& why = none.regions.refused.at(0).reason;
  QVERIFY2(why.find("cannot be followed") != std::string::npos, why.c_str());
}

void EqualizationTest::clipsBeforeGates_data() {
  QTest::addColumn<QByteArray>("behind");
  QTest::newRow("that shrink it") << QByteArray(R"(
      w:float[4,3,1,1]{1, 0.5, -0.5,  4, 2, 1,  0.25, 0.1, 0.2,  1, 3, -2}
      a = Conv(x, w) @first
      c = Clip(a, l:float[]{0}, h:float[]{%1}) @clip
      m = ReduceMean(c) axes=[2,3] keepdims=1
      k = Conv(m, e:float[4,4,1,1]) @gate
      g = Sigmoid(k)
      d = Mul(c, g)
      f = Mul(d, s:float[]{0.05})
      y = Conv(f, v:float[2,4,1,1]{0.01, 9, 8, 2,  -0.02, 4, 7, 1}) @last)");
  QTest::newRow("that are half of it") << QByteArray(R"(
      w:float[4,3,1,1]{1, 0.5, -0.5,  2, 2, 1,  0.25, 0.1, 0.2,  4, 3, -2}
      a = Conv(x, w) @first
      c = Clip(a, l:float[]{0}, h:float[]{%1}) @clip
      p, q = Split(c, n:int64[2]{2,2}) axis=1
      g = Sigmoid(q)
      d = Mul(p, g)
      y = Conv(d, v:float[2,2,1,1]{0.01, 9,  -0.02, 4}) @last)");
}

// What a clip gives counts, not what is left of it behind a gate.
void EqualizationTest::clipsBeforeGates() {
  QFETCH(const QByteArray, behind);
  const auto textWith = [&](double ceiling) {
    const QString text = QString::fromUtf8("input x:float[1,3,4,4]" + behind + "\noutput y");
    return text.arg(ceiling).toStdString();
  };
  RepairCase open(textWith(1e6), kPerTensor);
  const Graph& graph = open.state.engine->graph();
  const Observation* seen = open.state.observations->find(graph[graph.findNode("clip")].outputs[0]);
  QVERIFY(seen != nullptr);
  RepairCase repaired(textWith(seen->range.high * 1.02), kPerTensor);
  const Equalized equalized(repaired, {});
  QVERIFY(!equalized.overlay.empty());
  const double agreement = test::sqnrOf(repaired.outputs(equalized.before, false),
                                        repaired.outputs(equalized.after, false));
  QVERIFY2(agreement > 110, qPrintable(QString::number(agreement)));
}

void EqualizationTest::illegal_data() {
  QTest::addColumn<QByteArray>("between");
  QTest::addColumn<QByteArray>("reason");
  const auto row = [](const char* what, const char* between, const char* reason) {
    QTest::newRow(what) << QByteArray(between) << QByteArray(reason);
  };
  row("HardSwish", "c = HardSwish(a) @act", "'act' (HardSwish) is not proportional");
  row("Sigmoid", "c = Sigmoid(a) @act", "'act' (Sigmoid) is not proportional");
  row("Elu", "c = Elu(a) @act", "not proportional");
  row("Clip from −1", "c = Clip(a, l:float[]{-1}, h:float[]{6}) @act", "not proportional");
  row("an output", "c = Relu(a)\noutput c", "'c' is an output");
  row("a constant added to every place", "k:float[1,1,4,4]\nc = Add(a, k) @sum",
      "a constant comes to it in 'sum'");
  row("squared", "c = Mul(a, a) @square", "'square' (Mul) is not proportional");
  row("over itself", "c = Div(k:float[1,4,1,1], a) @over", "'over' (Div) is not proportional");
  row("beside a constant", "c = Concat(a, k:float[1,4,4,4]) axis=2 @join",
      "a constant comes to it in 'join'");
  row("its channels together", "m = ReduceMean(a) axes=[1] keepdims=1\nc = Sub(a, m)\noutput m",
      "'m' is an output");
}

void EqualizationTest::illegal() {
  QFETCH(const QByteArray, between);
  QFETCH(const QByteArray, reason);

  RepairCase repaired(::illegal(between.constData()), kPerTensor, 4);
  const Equalized equalized(repaired, {});
  QVERIFY(equalized.regions.regions.empty());
  QVERIFY(equalized.overlay.empty());
  const std::string& why = equalized.regions.refused.at(0).reason;
  QVERIFY2(why.find(reason.toStdString()) != std::string::npos, why.c_str());
}

// Channels that the clip cuts off keep their scale, the others cannot reach it.
void EqualizationTest::clipsStayWhatTheyAre() {
  RepairCase repaired(kClipped, kPerTensor);
  const Equalized equalized(repaired, {});
  QVERIFY(!equalized.overlay.empty());
  QVERIFY(equalized.overlay.rectifiers.empty());
  const double agreement = test::sqnrOf(repaired.outputs(equalized.before, false),
                                        repaired.outputs(equalized.after, false));
  QVERIFY2(agreement > 110, qPrintable(QString::number(agreement)));
}

void EqualizationTest::rectifiersReplaceClips() {
  RepairCase repaired(kClipped, kPerTensor);
  EqualizationRule rule;
  rule.rectify = true;
  const Equalized equalized(repaired, rule);
  const Graph& graph = equalized.after.engine->graph();
  QCOMPARE(graph[graph.findNode("clip")].op, std::string("Relu"));
  // What was cut off no longer is.
  const double agreement = test::sqnrOf(repaired.outputs(equalized.before, false),
                                        repaired.outputs(equalized.after, false));
  QVERIFY2(agreement < 60, qPrintable(QString::number(agreement)));
}

// One grid for channels between 1/16 and 16 loses the small ones.
void EqualizationTest::winsBackWhatScalesLose() {
  RepairCase repaired(kPair, kPerTensor);
  const Equalized equalized(repaired, {});
  const auto reference = repaired.outputs(repaired.state, false);
  const double before = test::sqnrOf(reference, repaired.outputs(equalized.before, true));
  const double after = test::sqnrOf(reference, repaired.outputs(equalized.after, true));
  QVERIFY2(after > before + 3, qPrintable(QString("%1 → %2 dB").arg(before).arg(after)));
}

QUANTSCOPE_TEST(EqualizationTest)
#include "test_equalization.moc"
