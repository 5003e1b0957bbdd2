#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernels/codes/dequantize.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/codes/quantize.h"
#include "kernels/kernel_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

template <class Code>
struct CodeLimits {
  static constexpr std::int32_t kLowest = std::numeric_limits<Code>::lowest();
  static constexpr std::int32_t kHighest = std::numeric_limits<Code>::max();
};

// The correctly rounded quotient of floats is that of doubles, rounded to float.
std::int32_t nearestCode(float x, const Grid& grid, std::int32_t qmin, std::int32_t qmax) {
  if (std::isnan(x)) return std::clamp(grid.zeroPoint, qmin, qmax);
  const auto quotient = static_cast<float>(static_cast<double>(x) / grid.scale);
  const double code = std::nearbyint(static_cast<double>(quotient)) + grid.zeroPoint;
  return static_cast<std::int32_t>(std::clamp<double>(code, qmin, qmax));
}

std::size_t nansIn(std::span<const float> numbers) {
  return static_cast<std::size_t>(
      std::count_if(numbers.begin(), numbers.end(), [](float x) { return std::isnan(x); }));
}

std::vector<float> numbersWithTies(std::size_t count) {
  std::vector<float> numbers = hostileNumbers(count, 4.0F, 7);
  for (std::size_t i = 0; i < count; i += 5) {
    numbers[i] = (static_cast<float>(i % 300) - 150.5F) * 0.02F;
  }
  return numbers;
}

const ChannelLayout kLayouts[] = {{1, 1, 1},  {3, 5, 1},  {2, 16, 1}, {4, 33, 1}, {1, 7, 9},
                                  {3, 4, 31}, {2, 3, 32}, {2, 3, 77}, {0, 3, 4},  {2, 3, 0}};

Grids gridsFor(const ChannelLayout& layout) {
  Grids grids;
  for (std::size_t c = 0; c < layout.channels; ++c) {
    grids.push_back({0.01F * static_cast<float>(c + 1), static_cast<std::int32_t>(c) - 3});
  }
  return grids;
}

template <class Code>
void checkQuantize(std::int32_t qmin, std::int32_t qmax) {
  const Grid grids[] = {{0.02F, qmin + 5}, {Limits::min(), 3}, {1.7e36F, 0}};
  for (const Grid& grid : grids) {
    for (const std::size_t length : kernelLengths()) {
      const std::vector<float> in = numbersWithTies(length);
      std::vector<Code> expected;
      for (const float x : in)
        expected.push_back(static_cast<Code>(nearestCode(x, grid, qmin, qmax)));
      OffsetArray source(in, length % 3);
      std::vector<Code> codes(length);
      const KernelMode mode = kernelModeOfRow();
      QCOMPARE(quantize(source.span(), codes, grid, qmin, qmax), nansIn(in));
      QVERIFY(codes == expected);
    }
  }
}

template <class Code>
void checkQuantizePerChannel(std::int32_t qmin, std::int32_t qmax) {
  for (const ChannelLayout& layout : kLayouts) {
    const Grids grids = gridsFor(layout);
    const std::vector<float> in = numbersWithTies(layout.elementCount());
    std::vector<Code> expected;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Grid& grid = grids[i / layout.inner % layout.channels];
      expected.push_back(static_cast<Code>(nearestCode(in[i], grid, qmin, qmax)));
    }
    std::vector<Code> codes(in.size());
    const KernelMode mode = kernelModeOfRow();
    QCOMPARE(quantizePerChannel(in, codes, layout, grids, qmin, qmax), nansIn(in));
    QVERIFY(codes == expected);
  }
}

// A product of two floats, computed in double and rounded to float, is the correctly rounded one.
float numberOf(std::int32_t code, const Grid& grid) {
  return static_cast<float>(static_cast<double>(code - grid.zeroPoint) * grid.scale);
}

template <class Code>
std::vector<Code> codesFor(std::size_t count) {
  std::vector<Code> codes(count);
  for (std::size_t i = 0; i < count; ++i) codes[i] = static_cast<Code>(i * 37 + 11);
  return codes;
}

template <class Code>
void checkDequantize() {
  for (const Grid& grid : {Grid{0.037F, 0}, Grid{Limits::min(), 100}, Grid{1.0F, -1000}}) {
    for (const std::size_t length : kernelLengths()) {
      const std::vector<Code> codes = codesFor<Code>(length);
      std::vector<float> expected;
      for (const Code code : codes) expected.push_back(numberOf(code, grid));
      std::vector<float> real(length);
      const KernelMode mode = kernelModeOfRow();
      dequantize(codes, real, grid);
      QCOMPARE(firstDifference(real, expected), -1);
    }
  }
}

template <class Code>
void checkDequantizePerChannel() {
  for (const ChannelLayout& layout : kLayouts) {
    const Grids grids = gridsFor(layout);
    const std::vector<Code> codes = codesFor<Code>(layout.elementCount());
    std::vector<float> expected;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      expected.push_back(numberOf(codes[i], grids[i / layout.inner % layout.channels]));
    }
    std::vector<float> real(codes.size());
    const KernelMode mode = kernelModeOfRow();
    dequantizePerChannel(codes, real, layout, grids);
    QCOMPARE(firstDifference(real, expected), -1);
  }
}

}  // namespace

class CodesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void quantizeEqualsItsTwin_data() { addKernelModes(); }
  void quantizeEqualsItsTwin();
  void quantizePerChannelEqualsItsTwin_data() { addKernelModes(); }
  void quantizePerChannelEqualsItsTwin();
  void dequantizeEqualsItsTwin_data() { addKernelModes(); }
  void dequantizeEqualsItsTwin();
  void dequantizePerChannelEqualsItsTwin_data() { addKernelModes(); }
  void dequantizePerChannelEqualsItsTwin();
  void codes_data();
  void codes();
  void bothStepsAreFakeQuantization();
  void refuses();
};

void CodesTest::quantizeEqualsItsTwin() {
  checkQuantize<std::int8_t>(-128, 127);
  checkQuantize<std::int8_t>(-127, 127);
  checkQuantize<std::uint8_t>(0, 255);
  checkQuantize<std::uint8_t>(0, 127);
}

void CodesTest::quantizePerChannelEqualsItsTwin() {
  checkQuantizePerChannel<std::int8_t>(-128, 127);
  checkQuantizePerChannel<std::uint8_t>(3, 250);
}

void CodesTest::dequantizeEqualsItsTwin() {
  checkDequantize<std::int8_t>();
  checkDequantize<std::uint8_t>();
}

void CodesTest::dequantizePerChannelEqualsItsTwin() {
  checkDequantizePerChannel<std::int8_t>();
  checkDequantizePerChannel<std::uint8_t>();
}

void CodesTest::codes_data() {
  QTest::addColumn<float>("x");
  QTest::addColumn<int>("zeroPoint");
  QTest::addColumn<int>("code");
  QTest::newRow("tie to even below") << 1.25F << 0 << 2;
  QTest::newRow("tie to even above") << 1.75F << 0 << 4;
  QTest::newRow("tie before the zero point is added") << 0.25F << 1 << 1;
  QTest::newRow("saturates above") << 1000.0F << 0 << 127;
  QTest::newRow("saturates below") << -1000.0F << 0 << -128;
  QTest::newRow("infinity") << Limits::infinity() << 7 << 127;
  QTest::newRow("minus infinity") << -Limits::infinity() << 7 << -128;
  QTest::newRow("NaN has the code of 0") << Limits::quiet_NaN() << 7 << 7;
  QTest::newRow("zero point outside the codes") << 0.0F << 300 << 127;
  QTest::newRow("minus zero") << -0.0F << -7 << -7;
  QTest::newRow("denormal") << -Limits::denorm_min() << 0 << 0;
}

void CodesTest::codes() {
  QFETCH(float, x);
  QFETCH(int, zeroPoint);
  QFETCH(int, code);
  std::int8_t result = 0;
  quantize({&x, 1}, std::span(&result, 1), {0.5F, zeroPoint}, -128, 127);
  QCOMPARE(static_cast<int>(result), code);
}

void CodesTest::bothStepsAreFakeQuantization() {
  const Grid grid{0.037F, 12};
  std::vector<float> numbers = numbersWithTies(4099);
  std::replace_if(
      numbers.begin(), numbers.end(), [](float x) { return std::isnan(x); }, 1.0F);
  std::vector<std::uint8_t> codes(numbers.size());
  std::vector<float> real(numbers.size());
  quantize(numbers, codes, grid, 0, 255);
  dequantize(codes, real, grid);
  fakeQuantize(numbers, numbers, grid, 0, 255);
  QCOMPARE(firstDifference(real, numbers), -1);
}

void CodesTest::refuses() {
  std::vector<float> numbers(4);
  std::vector<std::int8_t> codes(4);
  std::vector<std::uint8_t> unsignedCodes(3);
  const Grids grids(2);
  QVERIFY_THROWS_EXCEPTION(Error, quantize(numbers, codes, {}, -129, 127));
  QVERIFY_THROWS_EXCEPTION(Error, quantize(numbers, codes, {}, -128, 128));
  QVERIFY_THROWS_EXCEPTION(Error, quantize(numbers, codes, {0.0F, 0}, -128, 127));
  QVERIFY_THROWS_EXCEPTION(Error, quantize(numbers, unsignedCodes, {}, 0, 255));
  QVERIFY_THROWS_EXCEPTION(Error, quantizePerChannel(numbers, codes, {1, 4, 1}, grids, -128, 127));
  QVERIFY_THROWS_EXCEPTION(Error, dequantize(unsignedCodes, numbers, {}));
  QVERIFY_THROWS_EXCEPTION(Error, dequantize(codes, numbers, {-1.0F, 0}));
  QVERIFY_THROWS_EXCEPTION(Error, dequantizePerChannel(codes, numbers, {1, 4, 1}, grids));
}

QUANTSCOPE_TEST(CodesTest)
#include "test_codes.moc"
