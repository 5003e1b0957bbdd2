#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "kernels/kernel_fixture.h"
#include "kernels/statistics/error_sums.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kErrorLanes = 8;

ErrorSums ofPair(float reference, float value) {
  if (!std::isfinite(reference) || !std::isfinite(value)) return {0, 1};
  const double x = reference;
  const double y = value;
  const double error = y - x;
  return {1, 0, x * x, y * y, x * y, error, std::abs(error), error * error, std::abs(error)};
}

// The definition, lane by lane.
ErrorSums errorsByDefinition(std::span<const float> reference, std::span<const float> value) {
  std::array<ErrorSums, kErrorLanes> lanes{};
  for (std::size_t i = 0; i < reference.size(); ++i) {
    lanes[i % kErrorLanes].add(ofPair(reference[i], value[i]));
  }
  for (const std::size_t half : {4, 2, 1}) {
    for (std::size_t i = 0; i < half; ++i) lanes[i].add(lanes[i + half]);
  }
  return lanes[0];
}

std::vector<ErrorSums> twinPerChannel(std::span<const float> reference,
                                      std::span<const float> value, const ChannelLayout& layout) {
  std::vector<ErrorSums> result(layout.channels);
  for (std::size_t run = 0; run < layout.outer * layout.channels; ++run) {
    const std::size_t first = run * layout.inner;
    result[run % layout.channels].add(errorsByDefinition(reference.subspan(first, layout.inner),
                                                         value.subspan(first, layout.inner)));
  }
  return result;
}

using Pair = std::pair<std::vector<float>, std::vector<float>>;

std::vector<Pair> pairsOf(std::size_t length) {
  return {{hostileNumbers(length, 3.0F, 1), hostileNumbers(length, 3.0F, 2)},
          {tameNumbers(length, 1), tameNumbers(length, 2)}};
}

}  // namespace

class ErrorSumsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsItsTwin_data() { addKernelModes(); }
  void equalsItsTwin();
  void perChannelEqualsItsTwin_data() { addKernelModes(); }
  void perChannelEqualsItsTwin();
  void knownSums();
  void skipsPairs_data();
  void skipsPairs();
  void denormalsCount_data() { addKernelModes(); }
  void denormalsCount();
  void oneOddPairAmongPlainOnes_data() { addKernelModes(); }
  void oneOddPairAmongPlainOnes();
  void comparisonSeesAnotherOrder();
  void refusesLengthsThatDiffer();
};

void ErrorSumsTest::equalsItsTwin() {
  for (const std::size_t length : kernelLengths()) {
    for (const auto& [x, y] : pairsOf(length)) {
      const ErrorSums expected = errorsByDefinition(x, y);
      for (const std::size_t offset : {0, 1, 3}) {
        OffsetArray reference(x, offset);
        OffsetArray value(y, offset / 2);
        const KernelMode mode = kernelModeOfRow();
        QVERIFY(errorSums(reference.span(), value.span()) == expected);
      }
    }
  }
}

void ErrorSumsTest::perChannelEqualsItsTwin() {
  const ChannelLayout layouts[] = {{1, 1, 1}, {3, 5, 1},  {2, 16, 1}, {70, 33, 1}, {1, 7, 9},
                                   {3, 4, 8}, {2, 3, 77}, {0, 3, 4},  {2, 3, 0},   {5, 8, 1}};
  for (const ChannelLayout& layout : layouts) {
    for (const auto& [x, y] : pairsOf(layout.elementCount())) {
      const std::vector<ErrorSums> expected = twinPerChannel(x, y, layout);
      std::vector<ErrorSums> result(layout.channels);
      const KernelMode mode = kernelModeOfRow();
      errorSumsPerChannel(x, y, layout, result);
      QVERIFY(result == expected);
      errorSumsPerChannel(x, y, layout, result);
      QVERIFY(result[0].count == 2 * expected[0].count);
    }
  }
}

void ErrorSumsTest::knownSums() {
  const std::vector<float> x{1, 2, -3};
  const std::vector<float> y{1, 4, -4};
  const ErrorSums expected{3, 0, 14, 33, 21, 1, 3, 5, 2};
  QVERIFY(errorSums(x, y) == expected);
}

void ErrorSumsTest::skipsPairs_data() {
  QTest::addColumn<float>("x");
  QTest::addColumn<float>("y");
  const float infinity = std::numeric_limits<float>::infinity();
  QTest::newRow("NaN reference") << std::nanf("") << 1.0F;
  QTest::newRow("NaN value") << 1.0F << std::nanf("");
  QTest::newRow("infinite reference") << infinity << 1.0F;
  QTest::newRow("infinite value") << 1.0F << -infinity;
  QTest::newRow("equal infinities") << infinity << infinity;
}

void ErrorSumsTest::skipsPairs() {
  QFETCH(float, x);
  QFETCH(float, y);
  const std::vector<float> reference{1, x, 2};
  const std::vector<float> value{1, y, 5};
  const ErrorSums expected{2, 1, 5, 26, 11, 3, 3, 9, 3};
  QVERIFY(errorSums(reference, value) == expected);
}

void ErrorSumsTest::denormalsCount() {
  const double least = std::ldexp(1.0, -149);
  const std::vector<float> x{static_cast<float>(least), -0.0F};
  const std::vector<float> y{static_cast<float>(-3 * least), 0};
  const std::vector<float> mixed{1, static_cast<float>(5 * least), -2, 0, 3, 4, 5, 6, 7};
  const std::vector<float> zeros(mixed.size());
  const ErrorSums expected{
      2,          0,         least * least,      9 * least * least, -3 * least * least,
      -4 * least, 4 * least, 16 * least * least, 4 * least};
  const ErrorSums beside = errorsByDefinition(mixed, zeros);
  const KernelMode mode = kernelModeOfRow();
  QVERIFY(errorSums(x, y) == expected);
  QVERIFY(errorSums(mixed, zeros) == beside);
}

// Plain pairs stand before and behind it, as many as are added at once and more: zeros, too, beside
// which the smallest number shows.
void ErrorSumsTest::oneOddPairAmongPlainOnes() {
  const std::vector<float> zeros(4099);
  const float odd[] = {std::nanf(""), -std::numeric_limits<float>::infinity(), 0x1p-149F,
                       -0x1.fffffcp-127F};
  for (const std::vector<float>& x : {tameNumbers(zeros.size(), 1), zeros}) {
    for (const std::size_t place : {0, 511, 512, 1100, 1544, 4095, 4098}) {
      for (const float number : odd) {
        std::vector<float> oneOdd = x;
        oneOdd[place] = number;
        const ErrorSums first = errorsByDefinition(oneOdd, zeros);
        const ErrorSums second = errorsByDefinition(zeros, oneOdd);
        const KernelMode mode = kernelModeOfRow();
        QVERIFY(errorSums(oneOdd, zeros) == first);
        QVERIFY(errorSums(zeros, oneOdd) == second);
      }
    }
  }
}

// The sums of a kernel that adds from left to right differ in their last bits.
void ErrorSumsTest::comparisonSeesAnotherOrder() {
  const std::vector<float> x = tameNumbers(4099, 1);
  const std::vector<float> y = tameNumbers(4099, 2);
  ErrorSums leftToRight;
  for (std::size_t i = 0; i < x.size(); ++i) leftToRight.add(ofPair(x[i], y[i]));
  QVERIFY(!(errorSums(x, y) == leftToRight));
}

void ErrorSumsTest::refusesLengthsThatDiffer() {
  const std::vector<float> four(4);
  const std::vector<float> five(5);
  std::vector<ErrorSums> result(2);
  QVERIFY_THROWS_EXCEPTION(Error, errorSums(four, five));
  QVERIFY_THROWS_EXCEPTION(Error, errorSumsPerChannel(four, five, {1, 2, 2}, result));
  QVERIFY_THROWS_EXCEPTION(Error, errorSumsPerChannel(five, five, {1, 2, 2}, result));
}

QUANTSCOPE_TEST(ErrorSumsTest)
#include "test_error_sums.moc"
