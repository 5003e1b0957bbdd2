#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/kernel_fixture.h"
#include "kernels/statistics/linear_bins.h"
#include "kernels/statistics/log_linear_bins.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Counts = std::vector<std::uint32_t>;

constexpr std::int32_t kFirst = -700;
constexpr std::size_t kBins = 1501;

// Beyond the kernels' own: enough for several tables.
std::vector<std::size_t> lengths() {
  std::vector<std::size_t> lengths = kernelLengths();
  lengths.insert(lengths.end(), {16384, 70001});
  return lengths;
}

Counts binsByDefinition(std::span<const float> in, int widthExponent) {
  Counts counts(kBins);
  for (const float x : in) {
    if (!std::isfinite(x)) continue;
    const double flushed = std::fpclassify(x) == FP_SUBNORMAL ? 0.0 : x;
    const double bin = std::floor(flushed / std::ldexp(1.0, widthExponent));
    const double last = kFirst + static_cast<double>(kBins) - 1;
    ++counts[static_cast<std::size_t>(std::clamp<double>(bin, kFirst, last) - kFirst)];
  }
  return counts;
}

Counts rangeTwin(std::span<const float> in, float low, float high) {
  Counts counts(kBins);
  const float perUnit = static_cast<float>(kBins) / (high - low);
  for (const float x : in) {
    if (std::isnan(x)) continue;
    const float bin = (x - low) * perUnit;
    const float last = static_cast<float>(kBins) - 1;
    ++counts[static_cast<std::size_t>(bin > 0 ? std::min(bin, last) : 0)];
  }
  return counts;
}

Counts logLinearTwin(std::span<const float> in) {
  Counts counts(kLogLinearBins);
  for (const float x : in) {
    if (std::isfinite(x)) ++counts[logLinearBin(x)];
  }
  return counts;
}

}  // namespace

class BinsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linearEqualsItsTwin_data() { addKernelModes(); }
  void linearEqualsItsTwin();
  void rangeEqualsItsTwin_data() { addKernelModes(); }
  void rangeEqualsItsTwin();
  void linearBins_data();
  void linearBins();
  void logLinearEqualsItsTwin_data() { addKernelModes(); }
  void logLinearEqualsItsTwin();
  void logLinearBins_data();
  void logLinearBins();
  void logLinearBoundsHoldTheirNumbers();
};

void BinsTest::linearEqualsItsTwin() {
  for (const int widthExponent : {-126, -9, 0, 20, 118}) {
    for (const std::size_t length : lengths()) {
      const float limit = std::ldexp(800.0F, std::min(widthExponent, 100));
      const std::vector<float> in = hostileNumbers(length, limit, 17);
      const Counts expected = binsByDefinition(in, widthExponent);
      OffsetArray source(in, length % 3);
      const KernelMode mode = kernelModeOfRow();
      Counts counts(kBins);
      addToLinearBins(source.span(), widthExponent, kFirst, counts);
      QVERIFY(counts == expected);
    }
  }
}

// In some of the ranges the width of a bin is no normal number, or has no reciprocal.
void BinsTest::rangeEqualsItsTwin() {
  const std::pair<float, float> ranges[] = {
      {-4, 6}, {0, 1}, {2, 2}, {-3e38F, 3e38F}, {1, 1 + 0x1p-23F}};
  for (const auto& [low, high] : ranges) {
    for (const std::size_t length : lengths()) {
      const std::vector<float> in = hostileNumbers(length, 8, 23);
      const Counts expected = rangeTwin(in, low, high);
      OffsetArray source(in, length % 3);
      const KernelMode mode = kernelModeOfRow();
      Counts counts(kBins);
      addToRangeBins(source.span(), low, high, counts);
      QVERIFY(counts == expected);
    }
  }
}

void BinsTest::linearBins_data() {
  QTest::addColumn<float>("x");
  QTest::addColumn<int>("widthExponent");
  QTest::addColumn<int>("bin");
  QTest::newRow("inside") << 0.7F << -1 << 1;
  QTest::newRow("on an edge") << 1.5F << -1 << 3;
  QTest::newRow("on a negative edge") << -1.5F << -1 << -3;
  QTest::newRow("just below an edge") << std::nextafterf(1.5F, 0) << -1 << 2;
  QTest::newRow("negative") << -0.1F << 3 << -1;
  QTest::newRow("minus zero") << -0.0F << 3 << 0;
  QTest::newRow("denormal") << -Limits::denorm_min() << 3 << 0;
  QTest::newRow("quotient is denormal") << -Limits::min() << 10 << -1;
  QTest::newRow("quotient underflows") << -Limits::min() << 118 << -1;
  QTest::newRow("largest") << Limits::max() << 118 << 1023;
  QTest::newRow("finest bins") << Limits::min() * 5 << -126 << 5;
}

void BinsTest::linearBins() {
  QFETCH(float, x);
  QFETCH(int, widthExponent);
  QFETCH(int, bin);
  QCOMPARE(linearBin(x, widthExponent), bin);
}

void BinsTest::logLinearEqualsItsTwin() {
  for (const std::size_t length : lengths()) {
    const std::vector<float> in = hostileNumbers(length, 3.0F, 19);
    const Counts expected = logLinearTwin(in);
    const KernelMode mode = kernelModeOfRow();
    Counts counts(kLogLinearBins);
    addToLogLinearBins(in, std::span<std::uint32_t, kLogLinearBins>(counts));
    QVERIFY(counts == expected);
  }
}

void BinsTest::logLinearBins_data() {
  QTest::addColumn<float>("x");
  QTest::addColumn<float>("low");
  QTest::addColumn<float>("high");
  QTest::newRow("one") << 1.0F << 1.0F << 1.03125F;
  QTest::newRow("below a power of two") << std::nextafterf(2.0F, 0) << 1.96875F << 2.0F;
  QTest::newRow("negative") << -3.0F << -3.0F << -3.0625F;
  QTest::newRow("zero") << 0.0F << 0.0F << 0.0F;
  QTest::newRow("minus zero") << -0.0F << 0.0F << 0.0F;
  QTest::newRow("denormal") << -Limits::denorm_min() << 0.0F << 0.0F;
  QTest::newRow("smallest normal") << Limits::min() << Limits::min() << Limits::min() * 1.03125F;
  QTest::newRow("largest") << Limits::max() << 0x1.F8p127F << Limits::infinity();
}

void BinsTest::logLinearBins() {
  QFETCH(float, x);
  QFETCH(float, low);
  QFETCH(float, high);
  const LogLinearBounds bounds = logLinearBounds(logLinearBin(x));
  QVERIFY(bounds.low == low);
  QVERIFY(bounds.high == high);
}

void BinsTest::logLinearBoundsHoldTheirNumbers() {
  for (const float x : hostileNumbers(5000, 3.0F, 23)) {
    if (!std::isnormal(x)) continue;
    const LogLinearBounds bounds = logLinearBounds(logLinearBin(x));
    QVERIFY(std::abs(bounds.low) <= std::abs(x) && std::abs(x) < std::abs(bounds.high));
    QVERIFY(std::signbit(bounds.low) == std::signbit(x));
  }
}

QUANTSCOPE_TEST(BinsTest)
#include "test_bins.moc"
