// Arrays of more than 2^31 elements, in little memory. Whatever counts or places elements in 32
// bits loses the last block, which differs from the others.

#include <QtTest>
#include <algorithm>
#include <numeric>

#include "kernels/codes/dequantize.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/codes/magnitude_sums.h"
#include "kernels/codes/packed_codes.h"
#include "kernels/codes/quantize.h"
#include "kernels/codes/quantize_packed.h"
#include "kernels/repeated_memory.h"
#include "kernels/statistics/error_sums.h"
#include "kernels/statistics/linear_bins.h"
#include "kernels/statistics/min_max.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kFloatsInBlock = RepeatedMemory::kBlock / sizeof(float);
constexpr std::size_t kBlocks = (std::size_t{1} << 31) / kFloatsInBlock;
constexpr Grid kGrid{0.5F, 1, 0};
constexpr float kLast = 63.25F;  // in the last block alone

// Eighths from −6 to 6 and one NaN: their sums are exact.
void fill(std::span<float> block, float last) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    block[i] = (static_cast<float>(i * 29 % 97) - 48) / 8;
  }
  block[7] = std::numeric_limits<float>::quiet_NaN();
  block[block.size() - 5] = last;
}

double sumOfMagnitudes(std::span<const float> block) {
  double sum = 0;
  for (const float x : block) sum += std::isnan(x) ? 0 : std::abs(double{x});
  return sum;
}

bool same(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(
      a, b, [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace

class HugeArraysTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void cleanupTestCase() { m_numbers.reset(); }
  void minMax();
  void magnitudeSums();
  void errorSums();
  void linearBins();
  void fakeQuantize();
  void fakeQuantizePerChannel();
  void quantizeAndBack();
  void packAndUnpack();

 private:
  std::span<const float> numbers() const { return m_numbers->all<float>(); }

  std::unique_ptr<RepeatedMemory> m_numbers;
  std::size_t m_nans = kBlocks + 1;
};

void HugeArraysTest::initTestCase() {
#ifdef __SANITIZE_THREAD__
  QSKIP("skipped: the thread sanitizer keeps four bytes for each of the 8 GiB");
#endif
  m_numbers = std::make_unique<RepeatedMemory>(kBlocks);
  if (!m_numbers->available()) QSKIP("skipped: there is no address space for 8 GiB");
  fill(m_numbers->firstBlock<float>(), 0);
  fill(m_numbers->lastBlock<float>(), kLast);
  QVERIFY(numbers().size() > std::size_t{1} << 31);
}

void HugeArraysTest::minMax() {
  const MinMax range = quantscope::minMax(numbers());
  QVERIFY(range.min == -6 && range.max == kLast);
  QCOMPARE(range.nonFinite, m_nans);
}

void HugeArraysTest::magnitudeSums() {
  const MagnitudeSums sums = quantscope::magnitudeSums(numbers());
  QCOMPARE(sums.count, numbers().size() - m_nans);
  QVERIFY(sums.sum == kBlocks * sumOfMagnitudes(m_numbers->firstBlock<float>()) +
                          sumOfMagnitudes(m_numbers->lastBlock<float>()));
}

void HugeArraysTest::errorSums() {
  const ErrorSums sums = quantscope::errorSums(numbers(), numbers());
  QCOMPARE(sums.count, numbers().size() - m_nans);
  QCOMPARE(sums.nonFinite, m_nans);
  QVERIFY(sums.referenceSquared == sums.product && sums.squaredError == 0);
}

void HugeArraysTest::linearBins() {
  std::vector<std::uint32_t> counts(16 + 128);
  addToLinearBins(numbers(), -1, -16, counts);
  QCOMPARE(std::accumulate(counts.begin(), counts.end(), std::size_t{0}),
           numbers().size() - m_nans);
  QCOMPARE(counts[16 + 126], 1U);  // 63.25
}

void HugeArraysTest::fakeQuantize() {
  const Codes codes = Codes::of(QuantType::Int8);
  const RepeatedMemory result(kBlocks);
  if (!result.available()) QSKIP("skipped: there is no address space for another 8 GiB");
  quantscope::fakeQuantize(numbers(), result.all<float>(), codes, kGrid);
  std::vector<float> expected(kFloatsInBlock);
  for (const bool last : {false, true}) {
    const auto block = [last](const RepeatedMemory& memory) {
      return last ? memory.lastBlock<float>() : memory.firstBlock<float>();
    };
    quantscope::fakeQuantize(block(*m_numbers), expected, codes, kGrid);
    QVERIFY(same(block(result), expected));
  }
}

// Short runs, so that rows are counted, of which there are 2^29.
void HugeArraysTest::fakeQuantizePerChannel() {
  const Codes codes = Codes::of(QuantType::Int8);
  const Grids grids{kGrid, {0.25F, 0, 0}, {1, 3, 0}, {2, 0, 0}};
  const RepeatedMemory result(kBlocks);
  if (!result.available()) QSKIP("skipped: there is no address space for another 8 GiB");
  quantscope::fakeQuantizePerChannel(numbers(), result.all<float>(), {numbers().size() / 4, 4, 1},
                                     codes, grids);
  std::vector<float> expected(kFloatsInBlock);
  quantscope::fakeQuantizePerChannel(m_numbers->lastBlock<float>(), expected,
                                     {kFloatsInBlock / 4, 4, 1}, codes, grids);
  QVERIFY(same(result.lastBlock<float>(), expected));
}

void HugeArraysTest::quantizeAndBack() {
  const RepeatedMemory codes(kBlocks / sizeof(float));
  const RepeatedMemory back(kBlocks);
  if (!codes.available() || !back.available()) QSKIP("skipped: there is no address space");
  const std::size_t count = kBlocks * kFloatsInBlock + 4;
  const auto stored = codes.all<std::int8_t>().first(count);
  const auto in = numbers().last(count);
  // The first NaN is before them.
  QCOMPARE(quantize(in, stored, kGrid, -128, 127), m_nans - 1);
  // Of the last elements one is kLast.
  dequantize(stored, back.all<float>().first(count), kGrid);
  const auto tail = back.all<float>().first(count).last(8);
  for (std::size_t i = 0; i < tail.size(); ++i) {
    QVERIFY(std::abs(tail[i] - in.last(8)[i]) <= kGrid.scale / 2);
  }
}

void HugeArraysTest::packAndUnpack() {
  constexpr std::size_t kCount = (std::size_t{1} << 31) + 100;
  const RepeatedMemory codes(kCount / RepeatedMemory::kBlock);
  const RepeatedMemory packed(kCount / 2 / RepeatedMemory::kBlock);
  if (!codes.available() || !packed.available()) QSKIP("skipped: there is no address space");
  const auto in = codes.all<std::uint8_t>().first(kCount);
  for (std::size_t i = 0; i < RepeatedMemory::kBlock; ++i) in[i] = i * 7 % 16;
  for (std::size_t i = kCount - 100; i < kCount; ++i) in[i] = i * 3 % 16;
  const auto bytes = packed.all<std::uint8_t>().first(packedSize(kCount, 4));
  packCodes(in, 4, bytes);
  for (std::size_t i = kCount - 100; i < kCount; ++i) {
    QCOMPARE(bytes[i / 2] >> i % 2 * 4 & 15, int{in[i]});
  }
  const std::vector<std::uint8_t> expected(in.end() - 100, in.end());
  std::ranges::fill(in.last(100), std::uint8_t{0});
  unpackCodes(bytes, 4, in);
  QVERIFY(std::ranges::equal(in.last(100), expected));
}

QUANTSCOPE_TEST(HugeArraysTest)
#include "test_huge_arrays.moc"
