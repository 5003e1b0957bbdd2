#include <QtTest>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "base/error.h"
#include "calibration/observed_numbers.h"
#include "calibration/observers/observations_bytes.h"
#include "calibration/observers/value_observer.h"
#include "calibration/peer_numbers.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

std::vector<Tensor> samplesOf(const Shape& shape, std::size_t count, std::uint32_t seed) {
  std::vector<Tensor> samples;
  const auto elements = static_cast<std::size_t>(shape.elementCount());
  const std::vector<float> numbers = uniformSums(elements * count, seed, 4);
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(Tensor::of(shape, std::span(numbers).subspan(i * elements, elements)));
  }
  return samples;
}

// Samples observed in the given order by several threads, folded in their own.
Observation observedInOrder(const std::vector<Tensor>& samples, std::span<const std::size_t> order,
                            int threads) {
  ValueObserver observer(1, {.batch = 3, .averagingConstants = {0.01, 0.5}});
  std::vector<SampleSummary> summaries(samples.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      summaries[order[i]] = observer.observe(samples[order[i]]);
    }
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  for (const SampleSummary& summary : summaries) observer.fold(summary);
  return observer.finish();
}

bool sameAverages(const std::vector<MovingAverageRange>& a,
                  const std::vector<MovingAverageRange>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.constant == y.constant && x.range == y.range && x.channels == y.channels;
  });
}

bool sameLogLinearBins(const std::vector<LogLinearBin>& a, const std::vector<LogLinearBin>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.low == y.low && x.high == y.high && x.count == y.count;
  });
}

bool sameObservation(const Observation& a, const Observation& b) {
  return a.samples == b.samples && a.count == b.count && a.nonFinite == b.nonFinite &&
         a.range == b.range && a.mean == b.mean && a.standardDeviation == b.standardDeviation &&
         a.channelAxis == b.channelAxis && a.channels == b.channels &&
         sameAverages(a.movingAverages, b.movingAverages) && a.batchToEpoch == b.batchToEpoch &&
         a.linearBins().low == b.linearBins().low && a.linearBins().width == b.linearBins().width &&
         a.linearBins().counts == b.linearBins().counts &&
         sameLogLinearBins(a.logLinear.bins(), b.logLinear.bins());
}

}  // namespace

class ValueObserverTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void knownStatistics();
  void agreesWithPyTorch();
  void movingAverageOfBatchesAgreesWithPyTorch();
  void sameBitsForAnyOrderAndThreads();
  void layoutsGiveTheSameBits();
  void orderMattersToTheMovingAverage();
  void skipsWhatIsNotFinite();
  void nothingFinite();
  void absentSamplesTakeTheirPlace();
  void channelsThatDiffer_data();
  void channelsThatDiffer();
  void halfTypesAreWidened();
  void refusesOtherTensors();
};

void ValueObserverTest::knownStatistics() {
  const Observation result = observed(
      {Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4}), Tensor::of<float>({1, 2, 2}, {-3, 0, 7, 2})}, 1);
  QCOMPARE(result.samples, std::size_t{2});
  QCOMPARE(result.count, std::size_t{8});
  QVERIFY((result.range == Range{-3, 7, false}));
  QVERIFY(result.absmax() == 7);
  QVERIFY(result.mean == 2);
  QVERIFY(result.standardDeviation == std::sqrt(92.0 / 8 - 4));
  QCOMPARE(result.channelAxis, 1);
  QVERIFY((result.channels == std::vector<Range>{{-3, 2, false}, {2, 7, false}}));
  QVERIFY(result.batchToEpoch == (3.0 + 10.0) / 2 / 10);
}

// Numbers of torch.ao.quantization 1.13: MinMaxObserver, PerChannelMinMaxObserver(ch_axis=1),
// MovingAverageMinMaxObserver with the constants 0.01 and 0.25 and
// MovingAveragePerChannelMinMaxObserver(ch_axis=1), called with one sample after the other.
void ValueObserverTest::agreesWithPyTorch() {
  const Observation result =
      observed(samplesOf({1, 2, 3, 2}, 5, 5), 1, {.batch = 1, .averagingConstants = {0.01, 0.25}});
  QVERIFY((result.range == Range{-0x1.8430p+0F, 0x1.3a34p+0F, false}));
  QVERIFY((result.channels == std::vector<Range>{{-0x1.2970p+0F, 0x1.3a34p+0F, false},
                                                 {-0x1.8430p+0F, 0x1.7f48p-1F, false}}));
  const MovingAverageRange& slow = result.movingAverages[0];
  QVERIFY((slow.range == Range{-0x1.7eed78p+0F, 0x1.6623bcp-1F, false}));
  QVERIFY((slow.channels == std::vector<Range>{{-0x1.b62652p-1F, 0x1.5f37d2p-1F, false},
                                               {-0x1.7ba3fcp+0F, 0x1.05665cp-1F, false}}));
  const MovingAverageRange& fast = result.movingAverages[1];
  QVERIFY((fast.range == Range{-0x1.2c6660p+0F, 0x1.ae0008p-1F, false}));
}

// The same observer, called with samples 0–1, 2–3 and 4.
void ValueObserverTest::movingAverageOfBatchesAgreesWithPyTorch() {
  const Observation result =
      observed(samplesOf({1, 2, 3, 2}, 5, 5), 1, {.batch = 2, .averagingConstants = {0.01}});
  QVERIFY((result.movingAverages[0].range == Range{-0x1.81f3d8p+0F, 0x1.70decep-1F, false}));
}

void ValueObserverTest::sameBitsForAnyOrderAndThreads() {
  std::vector<Tensor> samples = samplesOf({1, 5, 33}, 40, 11);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].mutableValues<float>()[i] *= std::ldexp(1.0F, static_cast<int>(i % 13));
  }
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Observation expected = observedInOrder(samples, order, 1);
  std::mt19937 random(2);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    QVERIFY(sameObservation(observedInOrder(samples, order, 1 + i % 3), expected));
  }
}

// Fewer and more channels than are gathered at a time; with elements that count nowhere.
void ValueObserverTest::layoutsGiveTheSameBits() {
  const auto graph = graphFromText("input x:float[2,5,7,9]\ny = Relu(x)\n");
  for (const Shape& shape : {Shape{2, 5, 7, 9}, Shape{1, 37, 19, 11}, Shape{3, 20, 31}}) {
    std::vector<Tensor> plain = samplesOf(shape, 4, 11);
    plain[2].mutableValues<float>()[17] = std::numeric_limits<float>::infinity();
    plain[3].mutableValues<float>()[23] = std::numeric_limits<float>::quiet_NaN();
    std::vector<Tensor> channelsLast;
    for (const Tensor& sample : plain) {
      channelsLast.push_back(toLayout(sample, Layout::ChannelsLast));
      QCOMPARE(channelsLast.back().layout(), Layout::ChannelsLast);
    }
    const ObservationSettings settings{.batch = 2, .channelHistograms = true, .reportAxis = 1};
    const auto bytes = [&](const std::vector<Tensor>& samples) {
      std::vector<std::optional<Observation>> byValue(graph->values().size());
      byValue[0] = observed(samples, 1, settings);
      return observationsToBytes({samples.size(), std::move(byValue)}, *graph);
    };
    QVERIFY(bytes(channelsLast) == bytes(plain));
  }
}

void ValueObserverTest::orderMattersToTheMovingAverage() {
  std::vector<Tensor> samples = samplesOf({1, 5, 33}, 6, 11);
  const Observation forward = observed(samples, 1);
  std::reverse(samples.begin(), samples.end());
  const Observation backward = observed(samples, 1);
  QVERIFY(forward.range == backward.range);
  QVERIFY(!sameAverages(forward.movingAverages, backward.movingAverages));
}

void ValueObserverTest::skipsWhatIsNotFinite() {
  const float infinity = std::numeric_limits<float>::infinity();
  const Observation result =
      observed({Tensor::of<float>({1, 2, 2}, {1, std::nanf(""), infinity, -infinity})}, 1);
  QCOMPARE(result.count, std::size_t{1});
  QCOMPARE(result.nonFinite, std::size_t{3});
  QVERIFY((result.range == Range{1, 1, false}));
  QVERIFY(result.mean == 1);
  QVERIFY((result.channels == std::vector<Range>{{1, 1, false}, {}}));
  QVERIFY(!result.batchToEpoch);
  QVERIFY((result.linearBins().counts == std::vector<std::uint64_t>{1}));
}

void ValueObserverTest::nothingFinite() {
  const Observation result = observed(
      {Tensor::of<float>({1, 1}, {std::nanf("")}), Tensor(ElementType::Float32, Shape{0, 1})}, 1);
  QCOMPARE(result.samples, std::size_t{2});
  QVERIFY(result.range.empty && result.movingAverages[0].range.empty);
  QCOMPARE(result.nonFinite, std::size_t{1});
  QVERIFY(!result.batchToEpoch);
}

// The second sample belongs to a branch that did not run: batches are {0, 1} and {2, 3}.
void ValueObserverTest::absentSamplesTakeTheirPlace() {
  ValueObserver observer(-1, {.batch = 2, .averagingConstants = {0.5}});
  observer.fold(observer.observe(Tensor::of<float>({1, 2}, {0, 4})));
  observer.fold({});
  observer.fold(observer.observe(Tensor::of<float>({1, 2}, {0, 6})));
  observer.fold(observer.observe(Tensor::of<float>({1, 2}, {0, 8})));
  const Observation result = observer.finish();
  QCOMPARE(result.samples, std::size_t{3});
  QVERIFY((result.movingAverages[0].range == Range{0, 6, false}));
  QVERIFY(result.batchToEpoch == 6.0 / 8.0);
}

void ValueObserverTest::channelsThatDiffer_data() {
  QTest::addColumn<QList<int>>("extents");
  QTest::newRow("growing") << QList{2, 3};
  QTest::newRow("shrinking") << QList{3, 2};
  QTest::newRow("empty first") << QList{0, 2};
  QTest::newRow("empty last") << QList{2, 0};
}

void ValueObserverTest::channelsThatDiffer() {
  QFETCH(QList<int>, extents);
  std::vector<Tensor> samples;
  for (const int extent : extents) {
    samples.push_back(Tensor::zeros(ElementType::Float32, Shape{1, extent}));
  }
  const Observation result = observed(samples, 1);
  QCOMPARE(result.channelAxis, -1);
  QVERIFY(result.channels.empty() && result.movingAverages[0].channels.empty());
}

void ValueObserverTest::halfTypesAreWidened() {
  const Tensor sample = Tensor::of<float>({1, 3}, {-1.5F, 0.25F, 2});
  const Observation result = observed({fromFloat32(sample, ElementType::Float16)}, -1);
  QVERIFY((result.range == Range{-1.5F, 2, false}));
}

void ValueObserverTest::refusesOtherTensors() {
  ValueObserver observer(1);
  QVERIFY_THROWS_EXCEPTION(Error, observer.observe(Tensor::of<std::int64_t>({1}, {1})));
  const Tensor image = Tensor::zeros(ElementType::Float32, {1, 2, 2, 2});
  for (const int axis : {-1, 2}) {
    ValueObserver other(axis);
    QVERIFY_THROWS_EXCEPTION(Error, other.observe(toLayout(image, Layout::ChannelsLast)));
  }
  ValueObserver twice(1, {.reportAxis = 0});
  QVERIFY_THROWS_EXCEPTION(Error, twice.observe(toLayout(image, Layout::ChannelsLast)));
}

QUANTSCOPE_TEST(ValueObserverTest)
#include "test_value_observer.moc"
