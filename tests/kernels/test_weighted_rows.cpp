#include <QtTest>
#include <bit>
#include <cmath>

#include "kernels/kernel_fixture.h"
#include "kernels/network/weighted_rows.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kColumns = 3 * kWeightedColumns;

float inBlocks(std::span<const float> weights, const float* column, std::size_t block) {
  float total = 0;
  for (std::size_t first = 0; first < weights.size(); first += block) {
    float sum = 0;
    for (std::size_t k = first; k < std::min(first + block, weights.size()); ++k) {
      sum = std::fma(weights[k], column[k * kColumns], sum);
    }
    total = first == 0 ? sum : total + sum;
  }
  return total;
}

float byFours(std::span<const float> weights, const float* column) {
  float total = 0;
  for (std::size_t first = 0; first < weights.size(); first += 4) {
    float sum = weights[first] * column[first * kColumns];
    for (std::size_t k = first + 1; k < std::min(first + 4, weights.size()); ++k) {
      sum += weights[k] * column[k * kColumns];
    }
    total += sum;
  }
  return total;
}

}  // namespace

class WeightedRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keepsItsOrder_data() { addKernelModes(); }
  void keepsItsOrder();
  void theOrderShows();
};

void WeightedRowsTest::keepsItsOrder() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t count : {1U, 3U, 4U, 127U, 128U, 129U, 256U, 301U}) {
    const std::vector<float> weights = tameNumbers(count, 1);
    const std::vector<float> rows = tameNumbers(count * kColumns, 2);
    std::vector<float> blocks(kColumns);
    std::vector<float> fours(kColumns);
    sumRowsInBlocks(weights, rows.data(), 128, blocks);
    sumRowsByFours(weights, rows.data(), fours);
    for (std::size_t n = 0; n < kColumns; ++n) {
      QCOMPARE(std::bit_cast<std::uint32_t>(blocks[n]),
               std::bit_cast<std::uint32_t>(inBlocks(weights, rows.data() + n, 128)));
      QCOMPARE(std::bit_cast<std::uint32_t>(fours[n]),
               std::bit_cast<std::uint32_t>(byFours(weights, rows.data() + n)));
    }
  }
}

// Another order gives other bits, so that the test above can tell them apart.
void WeightedRowsTest::theOrderShows() {
  const std::vector<float> weights = tameNumbers(256, 1);
  const std::vector<float> rows = tameNumbers(256 * kColumns, 2);
  std::vector<float> halves(kColumns);
  std::vector<float> whole(kColumns);
  std::vector<float> fours(kColumns);
  sumRowsInBlocks(weights, rows.data(), 128, halves);
  sumRowsInBlocks(weights, rows.data(), 256, whole);
  sumRowsByFours(weights, rows.data(), fours);
  QVERIFY(firstDifference(halves, whole) >= 0);
  QVERIFY(firstDifference(halves, fours) >= 0);
}

QUANTSCOPE_TEST(WeightedRowsTest)
#include "test_weighted_rows.moc"
