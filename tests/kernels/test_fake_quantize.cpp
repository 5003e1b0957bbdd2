#include <QtTest>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/kernel_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Twin = float (*)(float x, const Grid& grid, std::int32_t qmin, std::int32_t qmax);

float real(double steps, const Grid& grid, std::int32_t qmin, std::int32_t qmax) {
  const double code = std::clamp<double>(steps + grid.zeroPoint, qmin, qmax);
  return static_cast<float>((code - grid.zeroPoint) * static_cast<double>(grid.scale));
}

// A quotient or product of two floats, computed in double and rounded to float, is the correctly
// rounded one: double has more than twice the bits.
float nearestReal(float x, const Grid& grid, std::int32_t qmin, std::int32_t qmax) {
  if (std::isnan(x)) return x;
  const auto quotient = static_cast<float>(static_cast<double>(x) / grid.scale);
  return real(std::nearbyint(quotient), grid, qmin, qmax);
}

float wrongTies(float x, const Grid& grid, std::int32_t qmin, std::int32_t qmax) {
  return std::isnan(x) ? x : real(std::round(x / grid.scale), grid, qmin, qmax);
}

float wrongInverse(float x, const Grid& grid, std::int32_t qmin, std::int32_t qmax) {
  return std::isnan(x) ? x : real(std::nearbyint(x * (1.0F / grid.scale)), grid, qmin, qmax);
}

// Numbers that reach beyond every code, and the ties between codes.
std::vector<float> numbersBeyondCodes(const Grid& grid, std::size_t count) {
  std::vector<float> numbers = hostileNumbers(count, 200 * grid.scale, 7);
  for (std::size_t i = 0; i < count; i += 5) {
    numbers[i] = (static_cast<float>(i % 300) - 150.5F) * grid.scale;
  }
  return numbers;
}

std::vector<float> mappedToInt8(std::span<const float> in, const Grid& grid, Twin function) {
  std::vector<float> out;
  for (const float x : in) out.push_back(function(x, grid, -128, 127));
  return out;
}

std::vector<float> perChannel(std::span<const float> in, const ChannelLayout& layout,
                              std::span<const Grid> grids) {
  std::vector<float> out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    out.push_back(nearestReal(in[i], grids[i / layout.inner % layout.channels], -128, 127));
  }
  return out;
}

}  // namespace

class FakeQuantizeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsItsTwin_data() { addKernelModes(); }
  void equalsItsTwin();
  void perChannelEqualsItsTwin_data() { addKernelModes(); }
  void perChannelEqualsItsTwin();
  void singleNumbers_data();
  void singleNumbers();
  void worksInPlace();
  void comparisonSeesWrongRounding();
  void refusesWhatIsNoGrid_data();
  void refusesWhatIsNoGrid();
  void refusesLengthsThatDiffer();
};

void FakeQuantizeTest::equalsItsTwin() {
  const Grid grids[] = {{0.1F, 0},      {1.0F, -128},
                        {0.037F, 12},   {std::numeric_limits<float>::min(), 3},
                        {0x1p-125F, 0}, {1.7e36F, 0}};
  for (const Grid& grid : grids) {
    for (const std::size_t length : kernelLengths()) {
      const std::vector<float> in = numbersBeyondCodes(grid, length);
      const std::vector<float> expected = mappedToInt8(in, grid, nearestReal);
      for (const std::size_t offset : kOffsets) {
        OffsetArray source(in, offset);
        OffsetArray target(std::vector<float>(length, -1.0F), offset / 2);
        const KernelMode mode = kernelModeOfRow();
        fakeQuantize(source.span(), target.span(), grid, -128, 127);
        QCOMPARE(firstDifference(target.span(), expected), -1);
      }
    }
  }
}

void FakeQuantizeTest::perChannelEqualsItsTwin() {
  const ChannelLayout layouts[] = {{1, 1, 1},  {3, 5, 1},  {2, 16, 1}, {4, 33, 1}, {1, 7, 9},
                                   {3, 4, 31}, {2, 3, 32}, {2, 3, 77}, {0, 3, 4},  {2, 3, 0}};
  for (const ChannelLayout& layout : layouts) {
    Grids grids;
    for (std::size_t c = 0; c < layout.channels; ++c) {
      grids.push_back({0.01F * static_cast<float>(c + 1), static_cast<std::int32_t>(c) - 3});
    }
    const std::vector<float> in = numbersBeyondCodes({0.02F, 0}, layout.elementCount());
    const std::vector<float> expected = perChannel(in, layout, grids);
    for (const std::size_t offset : kOffsets) {
      OffsetArray source(in, offset);
      OffsetArray target(in, 0);
      const KernelMode mode = kernelModeOfRow();
      fakeQuantizePerChannel(source.span(), target.span(), layout, grids, -128, 127);
      QCOMPARE(firstDifference(target.span(), expected), -1);
    }
  }
}

void FakeQuantizeTest::singleNumbers_data() {
  using Limits = std::numeric_limits<float>;
  QTest::addColumn<float>("x");
  QTest::addColumn<float>("scale");
  QTest::addColumn<int>("zeroPoint");
  QTest::addColumn<float>("expected");
  QTest::newRow("tie to even below") << 1.25F << 0.5F << 0 << 1.0F;
  QTest::newRow("tie to even above") << 1.75F << 0.5F << 0 << 2.0F;
  QTest::newRow("negative tie") << -1.25F << 0.5F << 0 << -1.0F;
  QTest::newRow("tie before the zero point is added") << 0.5F << 1.0F << 1 << 0.0F;
  QTest::newRow("saturates above") << 1000.0F << 0.5F << 0 << 63.5F;
  QTest::newRow("saturates below") << -1000.0F << 0.5F << 0 << -64.0F;
  QTest::newRow("zero point moves the limits") << 1000.0F << 0.5F << 100 << 13.5F;
  QTest::newRow("infinity") << Limits::infinity() << 0.5F << 0 << 63.5F;
  QTest::newRow("minus infinity") << -Limits::infinity() << 0.5F << 0 << -64.0F;
  QTest::newRow("minus zero") << -0.0F << 0.5F << 0 << 0.0F;
  QTest::newRow("rounds up to zero") << -0.1F << 0.5F << 0 << 0.0F;
  QTest::newRow("quotient overflows") << Limits::max() << Limits::min() << 0 << 127 * Limits::min();
  QTest::newRow("product overflows")
      << Limits::max() << Limits::max() / 64 << -128 << Limits::max();
  QTest::newRow("denormal") << Limits::denorm_min() << 1.0F << 0 << 0.0F;
  QTest::newRow("largest denormal, smallest scale")
      << std::nextafterf(Limits::min(), 0) << Limits::min() << 0 << Limits::min();
  QTest::newRow("negative denormal, smallest scale")
      << -0.75F * Limits::min() << Limits::min() << 0 << -Limits::min();
  QTest::newRow("half the smallest scale ties to zero")
      << Limits::min() / 2 << Limits::min() << 0 << 0.0F;
}

void FakeQuantizeTest::singleNumbers() {
  QFETCH(float, x);
  QFETCH(float, scale);
  QFETCH(int, zeroPoint);
  QFETCH(float, expected);
  float result = -1;
  fakeQuantize({&x, 1}, {&result, 1}, {scale, zeroPoint}, -128, 127);
  QCOMPARE(firstDifference({&result, 1}, {&expected, 1}), -1);
}

void FakeQuantizeTest::worksInPlace() {
  const Grid grid{0.037F, 12};
  std::vector<float> numbers = numbersBeyondCodes(grid, 1003);
  const std::vector<float> expected = mappedToInt8(numbers, grid, nearestReal);
  fakeQuantize(numbers, numbers, grid, -128, 127);
  QCOMPARE(firstDifference(numbers, expected), -1);
}

void FakeQuantizeTest::comparisonSeesWrongRounding() {
  const Grid grid{0.037F, 12};
  const std::vector<float> in = numbersBeyondCodes(grid, 4099);
  const std::vector<float> right = mappedToInt8(in, grid, nearestReal);
  QVERIFY(firstDifference(right, mappedToInt8(in, grid, wrongTies)) >= 0);
  QVERIFY(firstDifference(right, mappedToInt8(in, grid, wrongInverse)) >= 0);
}

void FakeQuantizeTest::refusesWhatIsNoGrid_data() {
  QTest::addColumn<float>("scale");
  QTest::addColumn<int>("zeroPoint");
  QTest::addColumn<int>("qmin");
  QTest::addColumn<int>("qmax");
  QTest::newRow("zero scale") << 0.0F << 0 << -128 << 127;
  QTest::newRow("negative scale") << -1.0F << 0 << -128 << 127;
  QTest::newRow("infinite scale") << std::numeric_limits<float>::infinity() << 0 << -128 << 127;
  QTest::newRow("scale is not a number") << std::nanf("") << 0 << -128 << 127;
  QTest::newRow("denormal scale") << std::numeric_limits<float>::denorm_min() << 0 << -128 << 127;
  QTest::newRow("no code") << 1.0F << 0 << 1 << 0;
  QTest::newRow("too many codes") << 1.0F << 0 << 0 << (1 << 24) + 1;
  QTest::newRow("far zero point") << 1.0F << std::numeric_limits<int>::min() << 0 << 1;
}

void FakeQuantizeTest::refusesWhatIsNoGrid() {
  QFETCH(float, scale);
  QFETCH(int, zeroPoint);
  QFETCH(int, qmin);
  QFETCH(int, qmax);
  std::vector<float> numbers(4);
  const Grid grid{scale, zeroPoint};
  QVERIFY_THROWS_EXCEPTION(Error, fakeQuantize(numbers, numbers, grid, qmin, qmax));
  const ChannelLayout layout{1, 1, 4};
  QVERIFY_THROWS_EXCEPTION(
      Error, fakeQuantizePerChannel(numbers, numbers, layout, {&grid, 1}, qmin, qmax));
}

void FakeQuantizeTest::refusesLengthsThatDiffer() {
  std::vector<float> four(4);
  std::vector<float> five(5);
  const Grids grids(2);
  QVERIFY_THROWS_EXCEPTION(Error, fakeQuantize(four, five, {}, -128, 127));
  QVERIFY_THROWS_EXCEPTION(Error, fakeQuantizePerChannel(five, five, {1, 2, 2}, grids, -128, 127));
  QVERIFY_THROWS_EXCEPTION(Error, fakeQuantizePerChannel(four, four, {1, 4, 1}, grids, -128, 127));
}

QUANTSCOPE_TEST(FakeQuantizeTest)
#include "test_fake_quantize.moc"
