#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/error.h"
#include "base/workers.h"
#include "calibration/observed_numbers.h"
#include "calibration/observers/clipped_count.h"
#include "calibration/observers/observed_range.h"
#include "calibration/observers/value_observer.h"
#include "calibration/peer_numbers.h"
#include "calibration/range_searches/l2_range_search.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

std::vector<float> bellBetween(float first, float second,
                               const std::function<float(float)>& shaped) {
  std::vector<float> numbers{first, second};
  for (const float x : uniformSums(100000, 1, 8)) numbers.push_back(shaped(x));
  return numbers;
}

}  // namespace

class ObservedRangeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void histogramAgreesWithPyTorch_data();
  void histogramAgreesWithPyTorch();
  void histogramOfOneNumber();
  void resamplingKeepsEveryCount();
  void percentiles_data();
  void percentiles();
  void percentileIsNotBlindedByAnOutlier();
  void minMaxAndMovingAverage();
  void channelsByEveryObserver();
  void clippedNumbers();
  void overflowsOfHalfTypes();
  void refuses();
};

// Numbers of torch.ao.quantization 1.13's HistogramObserver(bins, dtype=quint8), called once with
// all of the data; its range is truncated to integers, so the extremes are integers. Where the
// range is a power of two its bins are ours, and the results equal; else ours are spread over its
// bins, and the ends of the range may fall one of our bins, at most two of its, apart.
void ObservedRangeTest::histogramAgreesWithPyTorch_data() {
  QTest::addColumn<std::vector<float>>("numbers");
  QTest::addColumn<int>("bins");
  QTest::addColumn<float>("low");
  QTest::addColumn<float>("high");
  QTest::addColumn<float>("tolerance");
  const auto plain = bellBetween(-4, 4, [](float x) { return x; });
  const auto relu = bellBetween(0, 4, [](float x) { return std::max(x, 0.0F); });
  const auto skewed = bellBetween(-1, 15, [](float x) { return x > 0 ? 4 * x : x / 4; });
  const auto odd = bellBetween(-5, 6, [](float x) { return x; });
  QTest::newRow("bell") << plain << 2048 << -3.125F << 4.0F << 0.0F;
  QTest::newRow("bell, 512 bins") << plain << 512 << -3.125F << 4.0F << 0.0F;
  QTest::newRow("one-sided") << relu << 2048 << 0.0F << 3.138671875F << 0.0F;
  QTest::newRow("one-sided, 512 bins") << relu << 512 << 0.0F << 3.1328125F << 0.0F;
  QTest::newRow("skewed") << skewed << 2048 << -0.78125F << 15.0F << 0.0F;
  QTest::newRow("skewed, 512 bins") << skewed << 512 << -0.78125F << 12.53125F << 0.0F;
  QTest::newRow("odd range") << odd << 2048 << -3.12548828125F << 6.0F << 2 * 11.0F / 2048;
  QTest::newRow("odd range, 512 bins") << odd << 512 << -3.130859375F << 6.0F << 2 * 11.0F / 512;
}

void ObservedRangeTest::histogramAgreesWithPyTorch() {
  QFETCH(std::vector<float>, numbers);
  QFETCH(int, bins);
  QFETCH(float, low);
  QFETCH(float, high);
  QFETCH(float, tolerance);
  ObserverSpec observer = parseObserver("histogram");
  observer.bins = bins;
  const Range range = computeRange(observed(numbers), observer);
  QVERIFY2(std::abs(range.low - low) <= tolerance, qPrintable(QString::number(range.low, 'g', 9)));
  QVERIFY2(std::abs(range.high - high) <= tolerance,
           qPrintable(QString::number(range.high, 'g', 9)));
}

void ObservedRangeTest::histogramOfOneNumber() {
  const std::vector<float> numbers(10, 3.0F);
  QVERIFY((computeRange(observed(numbers), parseObserver("histogram")) == Range{3, 3, false}));
}

void ObservedRangeTest::resamplingKeepsEveryCount() {
  const LinearBins bins{-1, 0.5, {4, 0, 8, 2}};
  const Range range{-1, 1, false};
  QVERIFY((resampled(bins, range, 4) == std::vector<double>{4, 0, 8, 2}));
  QVERIFY((resampled(bins, range, 2) == std::vector<double>{4, 10}));
  QVERIFY((resampled(bins, range, 8) == std::vector<double>{2, 2, 0, 0, 4, 4, 1, 1}));
  // The first and the last bin reach beyond what was observed.
  const Range inner{-0.75F, 0.75F, false};
  QVERIFY((resampled(bins, inner, 3) == std::vector<double>{4, 4, 6}));
}

void ObservedRangeTest::percentiles_data() {
  QTest::addColumn<QString>("observer");
  QTest::addColumn<double>("low");
  QTest::addColumn<double>("high");
  QTest::newRow("all") << "percentile:0:100" << 1.0 << 1000.0;
  QTest::newRow("tenths") << "percentile:10:90" << 100.0 << 900.0;
  QTest::newRow("one-sided") << "percentile:0:99.9" << 1.0 << 999.0;
}

// 1 … 1000; a bin is 1/32 of its power of two wide.
void ObservedRangeTest::percentiles() {
  QFETCH(QString, observer);
  QFETCH(double, low);
  QFETCH(double, high);
  std::vector<float> numbers;
  for (int i = 1; i <= 1000; ++i) numbers.push_back(static_cast<float>(i));
  const Range range = computeRange(observed(numbers), parseObserver(observer.toStdString()));
  QVERIFY(std::abs(range.low - low) <= 2);
  QVERIFY(std::abs(range.high - high) <= 2);
}

void ObservedRangeTest::percentileIsNotBlindedByAnOutlier() {
  std::vector<float> numbers = uniformSums(100000, 1, 4);
  std::sort(numbers.begin(), numbers.end());
  const float expectedLow = numbers[1000];
  const float expectedHigh = numbers[99000];
  numbers.back() = 1e9F;
  const Range range = computeRange(observed(numbers), parseObserver("percentile:1:99"));
  QVERIFY(std::abs(range.low - expectedLow) < 0.01F);
  QVERIFY(std::abs(range.high - expectedHigh) < 0.01F);
}

void ObservedRangeTest::minMaxAndMovingAverage() {
  ValueObserver observer(0, {.batch = 1, .averagingConstants = {0.5}});
  observer.fold(observer.observe(Tensor::of<float>({2}, {-1, 2})));
  observer.fold(observer.observe(Tensor::of<float>({2}, {-3, 1})));
  const Observation observation = observer.finish();
  QVERIFY((computeRange(observation, {}) == Range{-3, 2, false}));
  const ObserverSpec moving = parseObserver("moving-average:0.5");
  QVERIFY((computeRange(observation, moving) == Range{-2, 1.5F, false}));
  QVERIFY((computeChannelRanges(observation, {}) ==
           std::vector<Range>{{-3, -1, false}, {1, 2, false}}));
  QVERIFY((computeChannelRanges(observation, moving) ==
           std::vector<Range>{{-2, -2, false}, {1.5F, 1.5F, false}}));
}

// Each channel has the range that its numbers have as a value of their own.
void ObservedRangeTest::channelsByEveryObserver() {
  constexpr std::size_t kElements = 3000;
  std::vector<float> numbers = uniformSums(2 * 3 * kElements, 5, 4);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] *= static_cast<float>(1 + 50 * (i / kElements % 3));
    if (i % 501 == 0) numbers[i] *= 30;
  }
  const std::span<const float> all(numbers);
  ValueObserver observer(1, {.channelHistograms = true});
  for (std::size_t sample = 0; sample < 2; ++sample) {
    observer.fold(observer.observe(
        Tensor::of<float>({1, 3, kElements}, all.subspan(sample * 3 * kElements, 3 * kElements))));
  }
  const Observation observation = observer.finish();
  for (const char* name : {"percentile:1:99", "histogram", "mse", "kl", "max-code-entropy"}) {
    const ObserverSpec spec = parseObserver(name);
    const std::vector<Range> ranges = computeChannelRanges(observation, spec);
    QCOMPARE(ranges.size(), std::size_t{3});
    for (std::size_t c = 0; c < 3; ++c) {
      ValueObserver alone(-1);
      for (std::size_t sample = 0; sample < 2; ++sample) {
        alone.fold(alone.observe(
            Tensor::of<float>({kElements}, all.subspan((sample * 3 + c) * kElements, kElements))));
      }
      QVERIFY2(ranges[c] == computeRange(alone.finish(), spec), name);
      QVERIFY2(ranges[c] != observation.channels[c], name);
    }
    for (const int threads : {1, 3}) {
      const Workers workers(threads);
      JobContext job(workers);
      QVERIFY2(computeChannelRanges(observation, spec, {}, &job) == ranges, name);
      job.requestCancel();
      QVERIFY_THROWS_EXCEPTION(Cancelled, computeChannelRanges(observation, spec, {}, &job));
    }
  }
}

void ObservedRangeTest::clippedNumbers() {
  std::vector<float> numbers(1000, 1);
  for (std::size_t i = 0; i < 7; ++i) numbers[i * 100] = 600;
  numbers[50] = -600;
  const Observation observation = observed(numbers);
  QuantParams params;
  QVERIFY(clippedCount(observation, params, {.scale = 5}) == 0);
  QVERIFY(clippedCount(observation, params, {.scale = 4}) == 8);
  QVERIFY(clippedCount(observation, params, {.scale = 1e-3F}) == 1000);
  params.type = QuantType::Float8E4M3;
  QVERIFY(clippedCount(observation, params, {.scale = 1}) == 8);
  QVERIFY(clippedCount(observation, params, {.scale = 2}) == 0);
}

// 65,520 is halfway to what would follow the largest half number, and rounds away from it.
void ObservedRangeTest::overflowsOfHalfTypes() {
  const float below = std::nextafter(65520.0F, 0.0F);
  const Observation half = observed(std::vector<float>{1, below, -below, 65520, -1e6F, 1e30F});
  QCOMPARE(half.float16Overflows, std::size_t{3});
  QCOMPARE(half.bfloat16Overflows, std::size_t{0});
  const float largest = std::numeric_limits<float>::max();
  const Observation all = observed(std::vector<float>{largest, 0x1.FEp+127F, -0x1.FFp+127F,
                                                      std::numeric_limits<float>::infinity()});
  QCOMPARE(all.float16Overflows, std::size_t{3});
  QCOMPARE(all.bfloat16Overflows, std::size_t{2});
  QCOMPARE(observed(std::vector<float>{below}).float16Overflows, std::size_t{0});
}

void ObservedRangeTest::refuses() {
  const Observation nothing = observed({});
  QVERIFY_THROWS_EXCEPTION(Error, computeRange(nothing, {}));
  const std::vector<float> numbers{1, 2};
  const Observation some = observed(numbers);
  QVERIFY_THROWS_EXCEPTION(Error, computeRange(some, parseObserver("moving-average:0.3")));
  QVERIFY_THROWS_EXCEPTION(Error, computeChannelRanges(some, {}));
  ValueObserver observer(0);
  observer.fold(observer.observe(Tensor::of<float>({2}, {-1, 2})));
  const Observation channels = observer.finish();
  QVERIFY_THROWS_EXCEPTION(Error, computeChannelRanges(channels, parseObserver("histogram")));
}

QUANTSCOPE_TEST(ObservedRangeTest)
#include "test_observed_range.moc"
