#include <QtTest>
#include <cmath>

#include "engine/fake_quantize_tensor.h"
#include "engine/gradients/straight_through.h"
#include "repair/linear_layers.h"
#include "support/error_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "tensor/npz.h"
#include "training/scale_form.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

QuantParams paramsOf(QuantType type, bool symmetric, int axis, int groupSize, Grids grids) {
  QuantParams params;
  params.type = type;
  params.qmin = lowestCode(type);
  params.qmax = highestCode(type);
  params.symmetric = symmetric;
  params.axis = axis;
  params.groupSize = groupSize;
  params.grids = std::move(grids);
  return params;
}

// The table, element by element, in double.
struct Expected {
  std::vector<double> x;
  std::vector<double> scales;
  std::vector<double> zeroPoints;
};

Expected byTheTable(const Tensor& x, const Tensor& dy, const QuantParams& params) {
  const std::vector<std::uint32_t> gridOf = gridOfElements(params, x.shape());
  Expected expected{
      {}, std::vector<double>(params.grids.size()), std::vector<double>(params.grids.size())};
  for (std::size_t i = 0; i < x.elementCount(); ++i) {
    const Grid& grid = params.grids[gridOf[i]];
    const double g = dy.values<float>()[i];
    const double v = x.values<float>()[i] / grid.scale;
    const double code = std::nearbyint(v) + grid.zeroPoint;
    const bool below = code < params.qmin;
    const bool above = code > params.qmax;
    expected.x.push_back(below || above ? 0 : g);
    const double slope = below   ? params.qmin - grid.zeroPoint
                         : above ? params.qmax - grid.zeroPoint
                                 : std::nearbyint(v) - v;
    expected.scales[gridOf[i]] += g * slope;
    expected.zeroPoints[gridOf[i]] += below || above ? -g * double{grid.scale} : 0;
  }
  return expected;
}

bool near(double a, double b, double size) {
  return std::abs(a - b) <= 1e-5 * (size + std::abs(b));
}

Tensor arrayOf(const NpzFile& file, const std::string& name) {
  return file.open(name).read();
}

double relativeDifference(std::span<const float> a, std::span<const float> b) {
  double difference = 0;
  double size = 1e-30;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::pow(double{a[i]} - double{b[i]}, 2);
    size += double{b[i]} * double{b[i]};
  }
  return std::sqrt(difference / size);
}

}  // namespace

/// Back through fake quantization: by the formula, against PyTorch, and at random.
class StraightThroughTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void table_data();
  void table();
  void edges();
  void layoutsAgree();
  void fixedGrids();
  void agreesWithPyTorch();
  void scaleForms();
  void stepsOfLsq();
  void stepsOfTqt();
  void noiseIsRightOnAverage();
  void temperature();
  void noiseDependsOnItsKeyAlone();
};

void StraightThroughTest::table_data() {
  QTest::addColumn<int>("type");
  QTest::addColumn<int>("axis");
  QTest::addColumn<int>("groupSize");
  QTest::addColumn<int>("grids");
  QTest::newRow("int8 per tensor") << int(QuantType::Int8) << -1 << 0 << 1;
  QTest::newRow("uint4 per tensor") << int(QuantType::UInt4) << -1 << 0 << 1;
  QTest::newRow("int4 per channel, axis 0") << int(QuantType::Int4) << 0 << 0 << 4;
  QTest::newRow("uint2 per channel, axis 1") << int(QuantType::UInt2) << 1 << 0 << 6;
  QTest::newRow("int4 per channel, last axis") << int(QuantType::Int4) << 2 << 0 << 5;
  QTest::newRow("int4 per group of 4, short last one") << int(QuantType::Int4) << 1 << 4 << 40;
}

void StraightThroughTest::table() {
  QFETCH(int, type);
  QFETCH(int, axis);
  QFETCH(int, groupSize);
  QFETCH(int, grids);
  const auto quantType = static_cast<QuantType>(type);
  const bool symmetric = isSigned(quantType);
  Grids all;
  for (int i = 0; i < grids; ++i) {
    all.push_back({0.05F + 0.03F * static_cast<float>(i % 7),
                   symmetric ? 0 : 1 + i % highestCode(quantType), 0});
  }
  const QuantParams params = paramsOf(quantType, symmetric, axis, groupSize, all);
  const Shape shape{4, 6, 5};
  const Tensor x = randomSamples(shape, 1, 3).front();
  const Tensor dy = randomSamples(shape, 1, 4).front();
  const StraightThrough actual = straightThrough(x, dy, params, nullptr, true);
  const Expected expected = byTheTable(x, dy, params);
  for (std::size_t i = 0; i < x.elementCount(); ++i) {
    QVERIFY(actual.x.values<float>()[i] == static_cast<float>(expected.x[i]));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    QVERIFY2(near(actual.scales[i], expected.scales[i], 120), QByteArray::number(int(i)));
    QVERIFY2(near(actual.zeroPoints[i], expected.zeroPoints[i], 1), QByteArray::number(int(i)));
  }
  QVERIFY(!straightThrough(x, dy, params, nullptr, false).x.defined());
}

// The last codes are inside, half a step beyond them is not; ties go to even codes.
void StraightThroughTest::edges() {
  const QuantParams params = paramsOf(QuantType::UInt4, false, -1, 0, {{0.5F, 3, 0}});
  // Codes: 0 at −1.5, 15 at 6. −1.75 is a tie between 0 and −1 (v = −3.5 → −4).
  const Tensor x = Tensor::of<float>(Shape{7}, {-1.5F, -1.74F, -1.75F, 6.0F, 6.24F, 6.25F, 1e30F});
  const Tensor dy = Tensor::of<float>(Shape{7}, {1, 1, 1, 1, 1, 1, 1});
  const StraightThrough back = straightThrough(x, dy, params, nullptr, true);
  const std::vector<float> wanted{1, 1, 0, 1, 1, 1, 0};
  // 6.25 is v = 12.5, a tie that goes to 12: inside.
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    QVERIFY2(back.x.values<float>()[i] == wanted[i], QByteArray::number(int(i)));
  }
  const double inside = 0 + 0.48 + 0 - 0.48 - 0.5;
  QVERIFY(near(back.scales[0], inside - 3 + 12, 1));
  QVERIFY(back.zeroPoints[0] == -1.0);
}

void StraightThroughTest::layoutsAgree() {
  const QuantParams params = paramsOf(QuantType::UInt4, false, -1, 0, {{0.2F, 5, 0}});
  const Shape shape{1, 3, 4, 4};
  const Tensor x = randomSamples(shape, 1, 3).front();
  const Tensor dy = randomSamples(shape, 1, 4).front();
  const StraightThrough plain = straightThrough(x, dy, params, nullptr, true);
  const StraightThrough mixed =
      straightThrough(x, toLayout(dy, Layout::ChannelsLast), params, nullptr, true);
  QVERIFY(identical(plain.x, mixed.x));
  QVERIFY(near(plain.scales[0], mixed.scales[0], 10));
}

void StraightThroughTest::fixedGrids() {
  QuantParams fp8 = paramsOf(QuantType::Float8E4M3, true, -1, 0, {{0.01F, 0, 0}});
  const Tensor x = Tensor::of<float>(Shape{3}, {1.0F, -4.0F, 100.0F});
  const Tensor dy = Tensor::of<float>(Shape{3}, {1, 2, 3});
  const Tensor back = straightThroughFixed(x, dy, fp8);
  QVERIFY(identical(back, Tensor::of<float>(Shape{3}, {1, 2, 0})));
  fp8.dynamic = true;
  QVERIFY(identical(straightThroughFixed(x, dy, fp8), dy));
}

void StraightThroughTest::agreesWithPyTorch() {
  if (QProcess::execute("/usr/bin/python3", {"-c", "import torch"}) != 0) {
    QSKIP("PyTorch is not installed");
  }
  QTemporaryDir folder;
  QCOMPARE(QProcess::execute("/usr/bin/python3",
                             {QUANTSCOPE_PEERS_DIRECTORY "/fake_quantize.py", folder.path()}),
           0);
  const QStringList files = QDir(folder.path()).entryList({"*.npz"}, QDir::Files);
  QCOMPARE(files.size(), 6);
  for (const QString& each : files) {
    const NpzFile file(folder.filePath(each).toStdString());
    const std::vector<std::int64_t> limits = toIntegers(arrayOf(file, "limits"));
    QuantParams params;
    params.qmin = static_cast<std::int32_t>(limits[0]);
    params.qmax = static_cast<std::int32_t>(limits[1]);
    params.axis = static_cast<int>(toIntegers(arrayOf(file, "axis"))[0]);
    const Tensor scale = arrayOf(file, "scale");
    const Tensor zero = arrayOf(file, "zero_point");
    for (std::size_t i = 0; i < scale.elementCount(); ++i) {
      params.grids.push_back(
          {scale.values<float>()[i], roundedZeroPoint(zero.values<float>()[i], params), 0});
    }
    const Tensor x = arrayOf(file, "x");
    const StraightThrough back = straightThrough(x, arrayOf(file, "dy"), params, nullptr, true);
    const auto named = [&](const char* what) { return (each + ": " + what).toUtf8(); };
    QVERIFY2(identical(fakeQuantize(x, params), arrayOf(file, "y")), named("y"));
    QVERIFY2(std::ranges::equal(back.x.values<float>(), arrayOf(file, "dx").values<float>()),
             named("dx"));
    const std::vector<float> scales(back.scales.begin(), back.scales.end());
    const std::vector<float> zeros(back.zeroPoints.begin(), back.zeroPoints.end());
    QVERIFY2(relativeDifference(scales, arrayOf(file, "dscale").values<float>()) < 1e-5,
             named("dscale"));
    QVERIFY2(relativeDifference(zeros, arrayOf(file, "dzero_point").values<float>()) < 1e-5,
             named("dzero_point"));
  }
}

void StraightThroughTest::scaleForms() {
  for (const ScaleForm form : {ScaleForm::Log, ScaleForm::Lsq, ScaleForm::Tqt}) {
    QVERIFY(scaleFormFromName(name(form)) == form);
  }
  QVERIFY(!scaleFormFromName("pact"));
  QVERIFY(std::abs(scaleOf(ScaleForm::Log, learnedFrom(ScaleForm::Log, 0.3F)) - 0.3F) < 1e-7F);
  QVERIFY(scaleOf(ScaleForm::Lsq, learnedFrom(ScaleForm::Lsq, 0.3F)) == 0.3F);
  // The next power of two; one stays what it is.
  QVERIFY(scaleOf(ScaleForm::Tqt, learnedFrom(ScaleForm::Tqt, 0.3F)) == 0.5F);
  QVERIFY(scaleOf(ScaleForm::Tqt, learnedFrom(ScaleForm::Tqt, 0.25F)) == 0.25F);
  // A scale is never 0 or negative, whatever a step makes of it.
  QVERIFY(scaleOf(ScaleForm::Lsq, -1) > 0);
  QVERIFY(scaleOf(ScaleForm::Log, -1e6) > 0);
  QVERIFY(std::isfinite(scaleOf(ScaleForm::Tqt, 1e6)));
}

// LSQ as in its paper: the gradient of s over √(N·p), of a loss Σ dy·x̂.
void StraightThroughTest::stepsOfLsq() {
  const Tensor x = randomSamples(Shape{64}, 1, 5).front();
  const Tensor dy = randomSamples(Shape{64}, 1, 6).front();
  const float scale = 0.21F;
  const int p = 7;
  double reference = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const double v = x.values<float>()[i] / scale;
    // As in PyTorch, what rounds to the last code is inside; the paper cuts half a step before.
    const double rounded = std::nearbyint(v);
    const double slope = rounded < -8 ? -8 : rounded > p ? p : rounded - v;
    reference += dy.values<float>()[i] * slope;
  }
  reference *= 1 / std::sqrt(64.0 * p);
  const QuantParams params = paramsOf(QuantType::Int4, true, -1, 0, {{scale, 0, 0}});
  const StraightThrough back = straightThrough(x, dy, params, nullptr, false);
  const double actual = learnedGradient(ScaleForm::Lsq, back.scales[0], scale, 64, p);
  QVERIFY2(near(actual, reference, 1), QByteArray::number(actual));
}

// TQT as in its paper: with t the threshold, ∂/∂log₂ t = s·ln 2·(⌊x/s⌉ − x/s inside, n or p
// outside).
void StraightThroughTest::stepsOfTqt() {
  const Tensor x = randomSamples(Shape{64}, 1, 7).front();
  const Tensor dy = randomSamples(Shape{64}, 1, 8).front();
  const double logThreshold = std::log2(1.7);
  const double s = std::exp2(std::ceil(logThreshold)) / 8;
  double reference = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const double v = x.values<float>()[i] / s;
    const double rounded = std::nearbyint(v);
    const double slope = rounded < -8 ? -8 : rounded > 7 ? 7 : rounded - v;
    reference += dy.values<float>()[i] * s * std::log(2) * slope;
  }
  const float scale = scaleOf(ScaleForm::Tqt, logThreshold - 3);
  QVERIFY(scale == static_cast<float>(s));
  const QuantParams params = paramsOf(QuantType::Int4, true, -1, 0, {{scale, 0, 0}});
  const StraightThrough back = straightThrough(x, dy, params, nullptr, false);
  const double actual = learnedGradient(ScaleForm::Tqt, back.scales[0], scale, 64, 7);
  QVERIFY2(near(actual, reference, 1), QByteArray::number(actual));
}

// E[x̂] = x and variance s²f(1 − f), each within four standard errors of 40,000 draws.
void StraightThroughTest::noiseIsRightOnAverage() {
  constexpr std::size_t kDraws = 40000;
  const QuantParams params = paramsOf(QuantType::Int8, true, -1, 0, {{0.5F, 0, 0}});
  for (const float x : {0.1F, -0.37F, 1.25F, 2.0F}) {
    const Tensor many = [&] {
      Tensor tensor(ElementType::Float32, Shape{static_cast<std::int64_t>(kDraws)});
      std::ranges::fill(tensor.mutableValues<float>(), x);
      return tensor;
    }();
    const Tensor rounded = stochasticQuantize(many, params, RoundingNoise(5, 1, 1));
    double sum = 0;
    double squares = 0;
    for (const float each : rounded.values<float>()) {
      sum += double{each} - double{x};
      squares += std::pow(double{each} - double{x}, 2);
    }
    const double f = double{x} / 0.5 - std::floor(double{x} / 0.5);
    const double variance = 0.25 * f * (1 - f);
    const double error = std::sqrt(variance / kDraws);
    QVERIFY2(std::abs(sum / kDraws) <= 4 * error + 1e-7, QByteArray::number(x));
    QVERIFY2(std::abs(squares / kDraws - variance) <= 0.03 * variance + 1e-9,
             QByteArray::number(x));
  }
}

void StraightThroughTest::temperature() {
  const Tensor x = randomSamples(Shape{500}, 1, 9).front();
  const QuantParams params = paramsOf(QuantType::Int8, true, -1, 0, {{0.05F, 0, 0}});
  const Tensor cold = stochasticQuantize(x, params, RoundingNoise(1, 1, 1e-4F));
  QVERIFY(identical(cold, fakeQuantize(x, params)));
  const Tensor warm = stochasticQuantize(x, params, RoundingNoise(1, 1, 1));
  QVERIFY(!identical(warm, cold));
  for (std::size_t i = 0; i < 500; ++i) {
    QVERIFY(std::abs(warm.values<float>()[i] - x.values<float>()[i]) < 0.0501F);
  }
}

void StraightThroughTest::noiseDependsOnItsKeyAlone() {
  const Tensor x = randomSamples(Shape{2, 3, 8, 8}, 1, 9).front();
  const QuantParams params = paramsOf(QuantType::Int8, true, -1, 0, {{0.05F, 0, 0}});
  const Tensor once = stochasticQuantize(x, params, RoundingNoise(1, 2, 1));
  const Tensor inOtherOrder =
      stochasticQuantize(toLayout(x, Layout::ChannelsLast), params, RoundingNoise(1, 2, 1));
  QVERIFY(identical(once, inOtherOrder));
  QVERIFY(!identical(once, stochasticQuantize(x, params, RoundingNoise(2, 2, 1))));
  QVERIFY(!identical(once, stochasticQuantize(x, params, RoundingNoise(1, 3, 1))));
}

QUANTSCOPE_TEST(StraightThroughTest)
#include "test_straight_through.moc"
