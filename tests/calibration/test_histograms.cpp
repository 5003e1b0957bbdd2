#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "calibration/histograms/bin_counts.h"
#include "calibration/histograms/linear_histogram.h"
#include "calibration/histograms/log_linear_histogram.h"
#include "calibration/peer_numbers.h"
#include "kernels/statistics/min_max.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Limits = std::numeric_limits<float>;
using Entries = std::vector<std::pair<std::int32_t, std::uint64_t>>;

Entries entries(const BinCounts& counts) {
  Entries result;
  counts.forEach([&](std::int32_t bin, std::uint64_t n) { result.emplace_back(bin, n); });
  return result;
}

// Fed in pieces, the width following the range as it grows.
LinearBins fedInPieces(std::span<const float> numbers, std::size_t piece) {
  LinearHistogram histogram;
  MinMax range;
  for (std::size_t i = 0; i < numbers.size(); i += piece) {
    const std::span<const float> part = numbers.subspan(i, std::min(piece, numbers.size() - i));
    const MinMax ofPart = minMax(part);
    range.merge(ofPart);
    histogram.widen(LinearHistogram::widthExponentFor(range.min, range.max));
    histogram.add(part, ofPart.min, ofPart.max);
  }
  return histogram.bins(range.min, range.max);
}

// All at once, by the definition.
LinearBins binsByDefinition(std::span<const float> numbers, int widthExponent) {
  const auto [min, max] = std::minmax_element(numbers.begin(), numbers.end());
  LinearBins bins;
  bins.width = std::ldexp(1.0, widthExponent);
  bins.low = std::floor(*min / bins.width) * bins.width;
  bins.counts.resize(static_cast<std::size_t>(std::ceil((*max - bins.low) / bins.width)));
  for (const float x : numbers) {
    const auto bin = static_cast<std::size_t>((x - bins.low) / bins.width);
    ++bins.counts[std::min(bin, bins.counts.size() - 1)];
  }
  return bins;
}

bool sameBins(const LinearBins& a, const LinearBins& b) {
  return a.low == b.low && a.width == b.width && a.counts == b.counts;
}

}  // namespace

class HistogramsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void binCountsKeepBins();
  void binCountsTakeRows();
  void binCountsExceed32Bits();
  void binCountsHalve();
  void widths_data();
  void widths();
  void widthIsTheSmallestThatFits();
  void linearIsExactInAnyOrder_data();
  void linearIsExactInAnyOrder();
  void linearTakesFinerCounts();
  void linearEdges_data();
  void linearEdges();
  void logLinearIsAscendingAndExact();
};

void HistogramsTest::binCountsKeepBins() {
  BinCounts counts;
  counts.add(40, 2);
  counts.add(-1, 1);
  counts.add(-33, 5);
  counts.add(40, 3);
  const std::vector<std::uint32_t> row{7, 0, 8};
  counts.add(39, row);
  QVERIFY(entries(counts) == (Entries{{-33, 5}, {-1, 1}, {39, 7}, {40, 5}, {41, 8}}));
  QVERIFY(counts[40] == 5 && counts[42] == 0 && counts[4000] == 0);
}

// Blocks of 32 that are met in part, skipped and made in between.
void HistogramsTest::binCountsTakeRows() {
  std::vector<std::uint32_t> row(200);
  Entries expected;
  for (std::size_t i = 0; i < row.size(); i += 37) {
    row[i] = static_cast<std::uint32_t>(i + 1);
    expected.emplace_back(static_cast<std::int32_t>(i) - 70, i + 1);
  }
  BinCounts counts;
  counts.add(-70, row);
  QVERIFY(entries(counts) == expected);
  BinCounts other;
  other.add(115, 5);
  other.add(-1000, 7);
  other.add(counts);
  expected.back().second += 5;
  expected.insert(expected.begin(), {-1000, 7});
  QVERIFY(entries(other) == expected);
}

void HistogramsTest::binCountsExceed32Bits() {
  BinCounts counts;
  counts.add(3, 0xFFFFFFFFU);
  counts.add(3, 0xFFFFFFFFU);
  counts.add(3, 0x500000002U);
  QVERIFY(entries(counts) == (Entries{{3, 0x700000000U}}));
  counts.halve(1);
  QVERIFY(entries(counts) == (Entries{{1, 0x700000000U}}));
  const BinCounts same = counts;
  counts.add(same);
  QVERIFY(entries(counts) == (Entries{{1, 0xE00000000U}}));
}

void HistogramsTest::binCountsHalve() {
  BinCounts counts;
  for (const std::int32_t bin : {-5, -4, -1, 0, 3, 4}) counts.add(bin, 1);
  counts.halve(2);
  QVERIFY(entries(counts) == (Entries{{-2, 1}, {-1, 2}, {0, 2}, {1, 1}}));
  counts.halve(100);
  QVERIFY(entries(counts) == (Entries{{-1, 3}, {0, 3}}));
}

void HistogramsTest::widths_data() {
  QTest::addColumn<float>("min");
  QTest::addColumn<float>("max");
  QTest::addColumn<int>("exponent");
  QTest::newRow("full symmetric range") << -1.0F << 1.0F << -10;
  QTest::newRow("just above") << -1.0F << std::nextafterf(1.0F, 2) << -9;
  QTest::newRow("one-sided") << 0.0F << 1.0F << -11;
  QTest::newRow("odd range") << -0.3F << 4.1F << -8;
  QTest::newRow("narrow and far from 0") << 1000.0F << 1000.001F << -12;
  QTest::newRow("a single number") << 5.0F << 5.0F << -19;
  QTest::newRow("a single power of two") << 4.0F << 4.0F << -20;
  QTest::newRow("nothing but zeros") << 0.0F << 0.0F << -126;
  QTest::newRow("denormals") << -Limits::denorm_min() << Limits::denorm_min() << -126;
  QTest::newRow("the smallest numbers") << -Limits::min() << Limits::min() << -126;
  QTest::newRow("everything") << Limits::lowest() << Limits::max() << 118;
}

void HistogramsTest::widths() {
  QFETCH(float, min);
  QFETCH(float, max);
  QFETCH(int, exponent);
  QCOMPARE(LinearHistogram::widthExponentFor(min, max), exponent);
}

void HistogramsTest::widthIsTheSmallestThatFits() {
  const std::vector<float> ends = uniformSums(2000, 3, 2);
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    const double min = std::min(ends[i], ends[i + 1]);
    const double max = std::max(ends[i], ends[i + 1]);
    const int exponent =
        LinearHistogram::widthExponentFor(static_cast<float>(min), static_cast<float>(max));
    const auto bins = [&](int e) {
      return std::ceil(std::ldexp(max, -e)) - std::floor(std::ldexp(min, -e));
    };
    const double finest = std::ldexp(std::max(std::abs(min), std::abs(max)), -22);
    QVERIFY(bins(exponent) <= 2048 && std::ldexp(1.0, exponent) >= finest);
    QVERIFY(bins(exponent - 1) > 2048 || std::ldexp(1.0, exponent - 1) < finest);
  }
}

void HistogramsTest::linearIsExactInAnyOrder_data() {
  QTest::addColumn<int>("piece");
  for (const int piece : {1, 7, 255, 256, 1000, 6000}) QTest::addRow("%d", piece) << piece;
}

void HistogramsTest::linearIsExactInAnyOrder() {
  QFETCH(int, piece);
  std::vector<float> numbers = uniformSums(6000, 5, 4);
  for (std::size_t i = 0; i < numbers.size(); i += 9) numbers[i] *= 1.0F / 65536;
  numbers[17] = -37.5F;
  numbers[4000] = 21.0F;
  const LinearBins expected = binsByDefinition(numbers, -5);
  QCOMPARE(expected.counts.size(), std::size_t{1872});
  std::mt19937 random(1);
  for (int i = 0; i < 5; ++i) {
    QVERIFY(sameBins(fedInPieces(numbers, static_cast<std::size_t>(piece)), expected));
    std::shuffle(numbers.begin(), numbers.end(), random);
  }
  std::sort(numbers.begin(), numbers.end(),
            [](float a, float b) { return std::abs(a) < std::abs(b); });
  QVERIFY(sameBins(fedInPieces(numbers, static_cast<std::size_t>(piece)), expected));
}

// Counted before the shared histogram grew, merged after it.
void HistogramsTest::linearTakesFinerCounts() {
  const std::vector<float> numbers = uniformSums(3000, 5, 4);
  const MinMax range = minMax(numbers);
  LinearHistogram finer;
  finer.widen(-9);
  finer.add(numbers, range.min, range.max);
  LinearHistogram shared;
  shared.widen(-4);
  shared.add(finer);
  QVERIFY(sameBins(shared.bins(range.min, range.max), binsByDefinition(numbers, -4)));
}

void HistogramsTest::linearEdges_data() {
  QTest::addColumn<QList<float>>("numbers");
  QTest::addColumn<double>("low");
  QTest::addColumn<double>("width");
  QTest::addColumn<int>("first");
  QTest::addColumn<int>("last");
  QTest::addColumn<int>("bins");
  QTest::newRow("upper edge belongs to the last bin")
      << QList{-1.0F, 1.0F, 0.9999F} << -1.0 << 0x1p-10 << 1 << 2 << 2048;
  QTest::newRow("nothing but zeros") << QList{0.0F, -0.0F} << 0.0 << 0x1p-126 << 2 << 2 << 1;
  QTest::newRow("one number, many times") << QList{5.0F, 5.0F} << 5.0 << 0x1p-19 << 2 << 2 << 1;
  QTest::newRow("denormals and zero")
      << QList{0.0F, Limits::denorm_min(), -Limits::denorm_min()} << 0.0 << 0x1p-126 << 3 << 3 << 1;
  QTest::newRow("extremes") << QList{Limits::lowest(), Limits::max()} << -0x1p128 << 0x1p118 << 1
                            << 1 << 2048;
}

void HistogramsTest::linearEdges() {
  QFETCH(QList<float>, numbers);
  QFETCH(double, low);
  QFETCH(double, width);
  QFETCH(int, first);
  QFETCH(int, last);
  QFETCH(int, bins);
  const LinearBins result = fedInPieces({numbers.constData(), std::size_t(numbers.size())}, 1);
  QVERIFY(result.low == low);
  QVERIFY(result.width == width);
  QCOMPARE(result.counts.size(), std::size_t(bins));
  QCOMPARE(result.counts.front(), std::uint64_t(first));
  QCOMPARE(result.counts.back(), std::uint64_t(last));
}

void HistogramsTest::logLinearIsAscendingAndExact() {
  std::vector<float> numbers = uniformSums(5000, 9, 3);
  numbers.insert(numbers.end(), {0.0F, -0.0F, 1e30F, -1e-30F, std::nanf(""), Limits::infinity()});
  LogLinearHistogram atOnce;
  atOnce.add(numbers);
  LogLinearHistogram oneByOne;
  for (const float& x : numbers) {
    LogLinearHistogram one;
    one.add({&x, 1});
    oneByOne.add(one);
  }
  const std::vector<LogLinearBin> bins = atOnce.bins();
  const std::vector<LogLinearBin> others = oneByOne.bins();
  QCOMPARE(bins.size(), others.size());
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const LogLinearBin& bin = bins[i];
    QVERIFY(bin.low <= bin.high && (i == 0 || bins[i - 1].high <= bin.low));
    const auto inside = std::count_if(numbers.begin(), numbers.end(), [&](float x) {
      if (bin.high <= 0 && bin.low < 0) return x > bin.low && x <= bin.high;
      return bin.low == 0 ? x == 0 : x >= bin.low && x < bin.high;
    });
    QCOMPARE(bin.count, static_cast<std::uint64_t>(inside));
    QCOMPARE(bin.count, others[i].count);
    total += bin.count;
  }
  QCOMPARE(total, std::uint64_t{5004});
}

QUANTSCOPE_TEST(HistogramsTest)
#include "test_histograms.moc"
