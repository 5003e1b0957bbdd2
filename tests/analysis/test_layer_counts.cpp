#include <QtTest>
#include <limits>
#include <numeric>

#include "analysis/cost/layer_counts.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor tensorOf(const std::vector<float>& values) {
  Tensor tensor(ElementType::Float32, {1, static_cast<std::int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutableValues<float>().begin());
  return tensor;
}

BinRecord counted(const std::vector<float>& values, const Range& range) {
  BinRecord record;
  countInto(tensorOf(values), range, 1, 1, record);
  return record;
}

}  // namespace

class LayerCountsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyElementHasItsBin();
  void whatIsOutsideCountsAtTheEnds();
  void aRangeTooShortForItsReciprocalIsNoFault();
  void clippedElements();
};

// Against the definition, element by element; more than a block, and not a multiple of one.
void LayerCountsTest::everyElementHasItsBin() {
  std::vector<float> values(1003);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 640) / 64.0F - 4.0F;
  }
  const Range range{-4, 6, false};
  std::vector<std::uint32_t> expected(BinRecord::kBins);
  for (const float value : values) {
    const float bin = (value + 4) * (static_cast<float>(BinRecord::kBins) / 10);
    ++expected[std::min(static_cast<std::size_t>(bin), BinRecord::kBins - 1)];
  }
  QVERIFY(counted(values, range).counts == expected);
}

void LayerCountsTest::whatIsOutsideCountsAtTheEnds() {
  const BinRecord record = counted({-kInfinity, -9, kNan, 0.5F, 9, kInfinity, kNan}, {0, 1, false});
  QCOMPARE(record.counts.front(), 2U);
  QCOMPARE(record.counts[BinRecord::kBins / 2], 1U);
  QCOMPARE(record.counts.back(), 2U);
  QCOMPARE(std::reduce(record.counts.begin(), record.counts.end()), 5U);
}

void LayerCountsTest::aRangeTooShortForItsReciprocalIsNoFault() {
  const float denormal = std::numeric_limits<float>::denorm_min();
  const BinRecord record = counted({0, denormal, 1}, {0, denormal, false});
  QCOMPARE(std::reduce(record.counts.begin(), record.counts.end()), 3U);
}

void LayerCountsTest::clippedElements() {
  QuantParams params;
  params.type = QuantType::Int8;
  params.qmin = -128;
  params.qmax = 127;
  params.grids = {Grid{0.01F, 0}};
  ClipRecord inside;
  countClipped(tensorOf({-1, 0, 1}), params, 1, 1, inside);
  QCOMPARE(inside.clipped, std::uint64_t{0});
  QCOMPARE(inside.total, std::uint64_t{3});
  QVERIFY(inside.range.low == -1 && inside.range.high == 1);
  ClipRecord outside;
  countClipped(tensorOf({-1, 0, 3, kInfinity, kNan}), params, 1, 1, outside);
  QCOMPARE(outside.clipped, std::uint64_t{2});
  QCOMPARE(outside.total, std::uint64_t{5});
  QVERIFY(outside.range.low == -1 && outside.range.high == 3);
  QVERIFY(std::abs(outside.squares - (3 - 1.27) * (3 - 1.27)) < 1e-6);
}

QUANTSCOPE_TEST(LayerCountsTest)
#include "test_layer_counts.moc"
