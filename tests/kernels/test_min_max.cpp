#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "base/error.h"
#include "kernels/kernel_fixture.h"
#include "kernels/statistics/min_max.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

MinMax extremesByDefinition(std::span<const float> in) {
  MinMax result;
  for (const float x : in) {
    if (!std::isfinite(x)) {
      ++result.nonFinite;
    } else {
      result.min = std::min(result.min, x == 0 ? 0.0F : x);
      result.max = std::max(result.max, x == 0 ? 0.0F : x);
    }
  }
  return result;
}

bool sameExtremes(const MinMax& a, const MinMax& b) {
  return std::bit_cast<std::uint32_t>(a.min) == std::bit_cast<std::uint32_t>(b.min) &&
         std::bit_cast<std::uint32_t>(a.max) == std::bit_cast<std::uint32_t>(b.max) &&
         a.nonFinite == b.nonFinite;
}

std::vector<float> ofChannel(std::span<const float> in, const ChannelLayout& layout,
                             std::size_t channel) {
  std::vector<float> elements;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i / layout.inner % layout.channels == channel) elements.push_back(in[i]);
  }
  return elements;
}

}  // namespace

class MinMaxTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsItsTwin_data() { addKernelModes(); }
  void equalsItsTwin();
  void findsTheExtremeAnywhere_data() { addKernelModes(); }
  void findsTheExtremeAnywhere();
  void findsWhatIsNotFiniteInAnyRow_data() { addKernelModes(); }
  void findsWhatIsNotFiniteInAnyRow();
  void perChannelEqualsItsTwin_data() { addKernelModes(); }
  void perChannelEqualsItsTwin();
  void smallArrays_data();
  void smallArrays();
  void mergesIntoWhatIsThere();
  void mergeKnowsDenormals_data() { addKernelModes(); }
  void mergeKnowsDenormals();
  void refusesLengthsThatDiffer();
};

void MinMaxTest::equalsItsTwin() {
  for (const std::size_t length : kernelLengths()) {
    const std::vector<float> in = hostileNumbers(length, 3.0F, 11);
    const MinMax expected = extremesByDefinition(in);
    for (const std::size_t offset : {0, 1, 3}) {
      OffsetArray source(in, offset);
      const KernelMode mode = kernelModeOfRow();
      QVERIFY(sameExtremes(minMax(source.span()), expected));
    }
  }
}

// A kernel that forgot one lane, or took one twice, would be seen here.
void MinMaxTest::findsTheExtremeAnywhere() {
  const KernelMode mode = kernelModeOfRow();
  std::vector<float> in(67, 1.0F);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = -2.0F;
    QVERIFY(sameExtremes(minMax(in), {-2.0F, 1.0F, 0}));
    in[i] = std::nanf("");
    QVERIFY(sameExtremes(minMax(in), {1.0F, 1.0F, 1}));
    in[i] = 3.0F;
    QVERIFY(sameExtremes(minMax(in), {1.0F, 3.0F, 0}));
    in[i] = 1.0F;
  }
}

// Several rows are taken together, and pieces of long arrays go through again where one number is
// not finite: such a number must be seen in each row, and spoil nothing beside it.
void MinMaxTest::findsWhatIsNotFiniteInAnyRow() {
  const ChannelLayout layout{19, 33, 1};
  std::vector<float> in = tameNumbers(layout.elementCount(), 3);
  std::vector<float> many = tameNumbers(40'000, 4);
  const float hostile[] = {std::nanf(""), -std::nanf(""), std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity()};
  const KernelMode mode = kernelModeOfRow();
  for (std::size_t i = 0; i < in.size(); i += 7) {
    const float tame = std::exchange(in[i], hostile[i % 4]);
    std::vector<MinMax> result(layout.channels);
    minMaxPerChannel(in, layout, result);
    for (std::size_t c = 0; c < layout.channels; ++c) {
      QVERIFY(sameExtremes(result[c], extremesByDefinition(ofChannel(in, layout, c))));
    }
    in[i] = tame;
  }
  for (const std::size_t i : {0, 8191, 8192, 16'383, 30'001, 39'999}) {
    const float tame = std::exchange(many[i], hostile[i % 4]);
    QVERIFY(sameExtremes(minMax(many), extremesByDefinition(many)));
    many[i] = tame;
  }
}

void MinMaxTest::perChannelEqualsItsTwin() {
  const ChannelLayout layouts[] = {{1, 1, 1},
                                   {3, 5, 1},
                                   {2, 16, 1},
                                   {4, 33, 1},
                                   {1, 7, 9},
                                   {3, 4, 31},
                                   {2, 3, 32},
                                   {2, 3, 77},
                                   {0, 3, 4},
                                   {2, 3, 0},
                                   // More rows than are looked at together.
                                   {450, 300, 1}};
  for (const ChannelLayout& layout : layouts) {
    for (const std::vector<float>& in :
         {hostileNumbers(layout.elementCount(), 3.0F, 5), tameNumbers(layout.elementCount(), 5)}) {
      std::vector<MinMax> expected;
      for (std::size_t c = 0; c < layout.channels; ++c) {
        expected.push_back(extremesByDefinition(ofChannel(in, layout, c)));
      }
      OffsetArray source(in, 1);
      std::vector<MinMax> result(layout.channels);
      const KernelMode mode = kernelModeOfRow();
      minMaxPerChannel(source.span(), layout, result);
      for (std::size_t c = 0; c < layout.channels; ++c)
        QVERIFY(sameExtremes(result[c], expected[c]));
    }
  }
}

void MinMaxTest::smallArrays_data() {
  constexpr float kNan = Limits::quiet_NaN();
  QTest::addColumn<QList<float>>("in");
  QTest::addColumn<float>("min");
  QTest::addColumn<float>("max");
  QTest::addColumn<int>("nonFinite");
  const MinMax nothing;
  QTest::newRow("nothing") << QList<float>{} << nothing.min << nothing.max << 0;
  QTest::newRow("nothing finite") << QList{kNan, kInfinity, -kInfinity, -kNan} << nothing.min
                                  << nothing.max << 4;
  QTest::newRow("skips what is not finite")
      << QList{kInfinity, 2.0F, kNan, -kInfinity} << 2.0F << 2.0F << 3;
  QTest::newRow("minus zero is zero") << QList{-0.0F, -0.0F} << 0.0F << 0.0F << 0;
  QTest::newRow("both zeros") << QList{0.0F, -0.0F} << 0.0F << 0.0F << 0;
  QTest::newRow("denormals") << QList{Limits::denorm_min(), -Limits::denorm_min()}
                             << -Limits::denorm_min() << Limits::denorm_min() << 0;
  QTest::newRow("extremes") << QList{Limits::max(), Limits::lowest()} << Limits::lowest()
                            << Limits::max() << 0;
}

void MinMaxTest::smallArrays() {
  QFETCH(QList<float>, in);
  QFETCH(float, min);
  QFETCH(float, max);
  QFETCH(int, nonFinite);
  const MinMax expected{min, max, static_cast<std::size_t>(nonFinite)};
  QVERIFY(sameExtremes(minMax({in.constData(), static_cast<std::size_t>(in.size())}), expected));
}

void MinMaxTest::mergesIntoWhatIsThere() {
  const std::vector<float> in{1.0F, -1.0F, std::nanf(""), 7.0F};
  std::vector<MinMax> result{{-5.0F, 0.0F, 2}, {0.0F, 3.0F, 0}};
  minMaxPerChannel(in, {1, 2, 2}, result);
  QVERIFY(sameExtremes(result[0], {-5.0F, 1.0F, 2}));
  QVERIFY(sameExtremes(result[1], {0.0F, 7.0F, 1}));
}

void MinMaxTest::mergeKnowsDenormals() {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const KernelMode mode = kernelModeOfRow();
  MinMax range{tiny, tiny, 0};
  range.merge({0.0F, 0.0F, 0});
  QVERIFY(sameExtremes(range, {0.0F, tiny, 0}));
  range.merge({-tiny, -tiny, 0});
  QVERIFY(sameExtremes(range, {-tiny, tiny, 0}));
}

void MinMaxTest::refusesLengthsThatDiffer() {
  const std::vector<float> in(6);
  std::vector<MinMax> result(2);
  QVERIFY_THROWS_EXCEPTION(Error, minMaxPerChannel(in, {1, 2, 2}, result));
  QVERIFY_THROWS_EXCEPTION(Error, minMaxPerChannel(in, {1, 3, 2}, result));
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  QVERIFY_THROWS_EXCEPTION(Error, minMaxPerChannel(in, {huge, 2, 2}, result));
}

QUANTSCOPE_TEST(MinMaxTest)
#include "test_min_max.moc"
