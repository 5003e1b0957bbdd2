#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/kernel_fixture.h"
#include "kernels/network/softmax.h"
#include "kernels/network/transcendental.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kSoftmaxedRows = 21;

/// The promised order of additions, `sums` at a time, with the powers of the proven kernel.
std::vector<float> softmaxInOrder(std::span<const float> x, std::size_t sums) {
  const float largest = *std::ranges::max_element(x);
  std::vector<float> y(x.begin(), x.end());
  for (float& value : y) value -= largest;
  exponential(y, y);
  std::vector<float> lanes(sums);
  for (std::size_t i = 0; i < y.size(); ++i) lanes[i % sums] += y[i];
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  const float factor = 1 / sum;
  for (float& value : y) {
    value *= factor;
    if (value < std::numeric_limits<float>::min()) value = 0;
  }
  return y;
}

std::vector<float> logits(std::size_t count, unsigned seed) {
  std::vector<float> x = tameNumbers(count, seed);
  for (float& value : x) value *= 40;
  return x;
}

std::vector<float> softmaxOf(const std::vector<float>& x, std::size_t rows = 1) {
  std::vector<float> y(x.size());
  softmaxRows(x.data(), rows, x.size() / rows, y.data());
  return y;
}

}  // namespace

class SoftmaxRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keepsItsOrder_data() { addKernelModes(); }
  void keepsItsOrder();
  void isWithinFourUlps_data() { addKernelModes(); }
  void isWithinFourUlps();
  void rowsAreIndependent_data() { addKernelModes(); }
  void rowsAreIndependent();
  void extremes_data() { addKernelModes(); }
  void extremes();
  void theOrderShows();
};

void SoftmaxRowsTest::keepsItsOrder() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t count : kernelLengths()) {
    if (count == 0) continue;
    const std::vector<float> x = logits(count, 1);
    QCOMPARE(firstDifference(softmaxOf(x), softmaxInOrder(x, kSoftmaxSums)), -1);
  }
}

void SoftmaxRowsTest::isWithinFourUlps() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t count : {1U, 2U, 7U, 33U, 128U}) {
    const std::vector<float> x = logits(count, 2);
    const std::vector<float> y = softmaxOf(x);
    const double largest = *std::ranges::max_element(x);
    double sum = 0;
    for (const float value : x) sum += std::exp(value - largest);
    for (std::size_t i = 0; i < count; ++i) {
      // The difference x − m, rounded, may itself be off by half an ulp of 80.
      const double exact = std::exp(x[i] - largest) / sum;
      QVERIFY(std::abs(y[i] - exact) <= exact * (4 * 0x1p-23 + 0x1p-18) + 0x1p-126);
    }
  }
}

void SoftmaxRowsTest::rowsAreIndependent() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t columns : {2U, 15U, 16U, 37U}) {
    std::vector<float> x = logits(kSoftmaxedRows * columns, 3);
    const std::vector<float> together = softmaxOf(x, kSoftmaxedRows);
    for (std::size_t row = 0; row < kSoftmaxedRows; ++row) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * columns);
      const std::vector<float> alone =
          softmaxOf(std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(columns)));
      QCOMPARE(firstDifference(alone, std::span(together).subspan(row * columns, columns)), -1);
    }
    softmaxRows(x.data(), kSoftmaxedRows, columns, x.data());
    QCOMPARE(firstDifference(x, together), -1);
  }
}

void SoftmaxRowsTest::extremes() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t count : {3U, 16U, 21U}) {
    std::vector<float> masked(count, -kInfinity);
    masked[1] = 2;
    std::vector<float> one(count, 0.0F);
    one[1] = 1;
    QCOMPARE(firstDifference(softmaxOf(masked), one), -1);
    for (const float strange : {std::nanf(""), kInfinity, -kInfinity}) {
      std::vector<float> x(count, strange == -kInfinity ? strange : 1.0F);
      x.back() = strange;
      const std::vector<float> y = softmaxOf(x);
      QVERIFY(std::isnan(y.back()));
      const bool all = strange != kInfinity;
      QVERIFY(!all || std::ranges::all_of(y, [](float value) { return std::isnan(value); }));
    }
  }
  softmaxRows(nullptr, 0, 5, nullptr);
  softmaxRows(nullptr, 5, 0, nullptr);
}

// Another number of sums gives other bits, so that the test above can tell them apart.
void SoftmaxRowsTest::theOrderShows() {
  const std::vector<float> x = tameNumbers(20000, 1);
  QVERIFY(firstDifference(softmaxInOrder(x, kSoftmaxSums), softmaxInOrder(x, 8)) >= 0);
}

QUANTSCOPE_TEST(SoftmaxRowsTest)
#include "test_softmax_rows.moc"
