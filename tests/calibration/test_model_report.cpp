#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/observed_numbers.h"
#include "calibration/observers/value_observer.h"
#include "calibration/peer_numbers.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr float kLargest = std::numeric_limits<float>::max();

/// The elements of one channel of a batch, along any axis, in ascending order.
std::vector<float> channelOf(std::span<const Tensor> batch, std::size_t axis, std::size_t channel) {
  std::vector<float> elements;
  for (const Tensor& sample : batch) {
    const Shape& shape = sample.shape();
    const auto inner = static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank()));
    const auto extent = static_cast<std::size_t>(shape[axis]);
    const auto values = sample.values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool counts = i / inner % extent == channel && std::isfinite(values[i]);
      if (counts) elements.push_back(values[i]);
    }
  }
  std::sort(elements.begin(), elements.end());
  return elements;
}

/// The definition, in double and by sorting.
ChannelReport reportByDefinition(const std::vector<Tensor>& samples, std::size_t batch,
                                 std::size_t axis, std::size_t channel) {
  ChannelReport report;
  for (std::size_t first = 0; first < samples.size(); first += batch) {
    const auto end = std::min(first + batch, samples.size());
    const auto x = channelOf(std::span(samples).subspan(first, end - first), axis, channel);
    if (x.empty()) continue;
    report.range.include(Range{x.front(), x.back(), false});
    if (x.front() == x.back()) ++report.constantBatches;
    const auto rank = static_cast<std::size_t>(0.975F * static_cast<float>(x.size() - 1));
    const auto add = [](TailStatistics& tail, double extreme, double reference) {
      if (extreme == 0 && reference == 0) return;
      if (extreme == 0 || reference == 0) {
        ++tail.sparseBatches;
        return;
      }
      const double ratio = std::abs(extreme / reference);
      tail.ratioSum += std::max(ratio, 1 / ratio);
      ++tail.batches;
    };
    add(report.upper, x.back(), x[rank]);
    add(report.lower, x.front(), x[x.size() - 1 - rank]);
  }
  return report;
}

bool sameTail(const TailStatistics& a, const TailStatistics& b) {
  return a.ratioSum == b.ratioSum && a.batches == b.batches && a.sparseBatches == b.sparseBatches;
}

bool sameReport(const ChannelReport& a, const ChannelReport& b) {
  return a.range == b.range && a.constantBatches == b.constantBatches &&
         sameTail(a.upper, b.upper) && sameTail(a.lower, b.lower);
}

std::vector<Tensor> unevenSamples(const Shape& shape, std::size_t count, std::uint32_t seed) {
  const auto elements = static_cast<std::size_t>(shape.elementCount());
  std::vector<float> numbers = uniformSums(elements * count, seed, 3);
  // Heavy tails, a ReLU's zeros and a missing number.
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] *= i % 61 == 0 ? 20.0F : 1.0F;
    if (i % 7 == 0) numbers[i] = std::max(numbers[i], 0.0F);
    if (i % 1009 == 17) numbers[i] = std::nanf("");
  }
  std::vector<Tensor> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(
        Tensor::of<float>(shape, std::span<const float>(numbers).subspan(i * elements, elements)));
  }
  return samples;
}

}  // namespace

class ModelReportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsItsDefinition_data();
  void equalsItsDefinition();
  void tailLengths();
  void knownRatios();
  void sparseChannels();
  void anotherAxisOnRequest();
  void kurtosisOfChannelsAndWhole();
  void channelsThatDiffer();
  void samplesOfTwoSizes();
};

void ModelReportTest::equalsItsDefinition_data() {
  QTest::addColumn<Shape>("shape");
  QTest::addColumn<int>("axis");
  QTest::addColumn<int>("batch");
  const auto add = [](const char* name, const Shape& shape, int axis) {
    for (const int batch : {1, 3, 5, 8}) {
      QTest::addRow("%s, batches of %d", name, batch) << shape << axis << batch;
    }
  };
  add("images", {1, 5, 13, 17}, 1);
  add("large images", {1, 2, 60, 50}, 1);
  add("tokens", {1, 197, 24}, 2);
  add("first axis", {7, 90}, 0);
  add("middle axis of rows", {3, 4, 31}, 1);
  add("single elements", {1, 19}, 1);
}

void ModelReportTest::equalsItsDefinition() {
  QFETCH(Shape, shape);
  QFETCH(int, axis);
  QFETCH(int, batch);
  const std::vector<Tensor> samples = unevenSamples(shape, 8, 3);
  const auto size = static_cast<std::size_t>(batch);
  const Observation result = observed(samples, axis, {.batch = size});
  const ModelReport* report = result.modelReport(axis);
  QVERIFY(report != nullptr);
  QVERIFY(report->referenceQuantile == 0.975);
  QCOMPARE(report->channels.size(), static_cast<std::size_t>(shape[axis]));
  for (std::size_t c = 0; c < report->channels.size(); ++c) {
    const ChannelReport expected =
        reportByDefinition(samples, size, static_cast<std::size_t>(axis), c);
    QVERIFY2(sameReport(report->channels[c], expected), qPrintable(QString::number(c)));
  }
  // The comparison sees batches of another size, and another axis.
  const ChannelReport other = reportByDefinition(samples, 7, static_cast<std::size_t>(axis), 0);
  QVERIFY(!sameReport(report->channels[0], other));
}

// Of 41 elements rank 39 is the reference, of 40 and 1 rank 38 and 0.
void ModelReportTest::tailLengths() {
  QCOMPARE(tailLength(0, 0.975), std::size_t{0});
  QCOMPARE(tailLength(1, 0.975), std::size_t{1});
  QCOMPARE(tailLength(40, 0.975), std::size_t{2});
  QCOMPARE(tailLength(41, 0.975), std::size_t{2});
  QCOMPARE(tailLength(81, 0.975), std::size_t{3});
  QCOMPARE(tailLength(5, 0), std::size_t{5});
  QCOMPARE(tailLength(5, 1), std::size_t{1});
}

void ModelReportTest::knownRatios() {
  std::vector<float> numbers(82);
  for (std::size_t i = 0; i < 41; ++i) numbers[i] = static_cast<float>(i) - 30;
  for (std::size_t i = 0; i < 41; ++i) numbers[41 + i] = -0.5F;
  const Observation result = observed({Tensor::of<float>({1, 2, 41}, numbers)}, 1);
  const std::vector<ChannelReport>& channels = result.modelReport(1)->channels;
  QVERIFY(channels[0].upper.ratioSum == 10.0 / 9);
  QVERIFY(channels[0].lower.meanRatio() == 30.0 / 29);
  QVERIFY(channels[0].upper.observerAverage == 10.0F / 9.0F);
  QCOMPARE(channels[0].constantBatches, std::size_t{0});
  QVERIFY(channels[1].upper.meanRatio() == 1);
  QCOMPARE(channels[1].constantBatches, std::size_t{1});
  QCOMPARE(result.batches, std::size_t{1});
  QVERIFY(result.averageBatchRange == 40);
}

// More than 97.5 % zeros: PyTorch's average becomes FLT_MAX, ours counts the batch apart. −0 is 0.
void ModelReportTest::sparseChannels() {
  std::vector<float> numbers(100, -0.0F);
  numbers[50] = 3;
  const std::vector<float> zeros(100, 0.0F);
  const Observation result =
      observed({Tensor::of<float>({1, 1, 100}, numbers), Tensor::of<float>({1, 1, 100}, zeros)}, 1);
  const ChannelReport& channel = result.modelReport(1)->channels[0];
  QVERIFY(channel.upper.observerAverage == kLargest);
  QCOMPARE(channel.upper.observerBatches, std::size_t{1});
  QCOMPARE(channel.upper.sparseBatches, std::size_t{1});
  QCOMPARE(channel.upper.batches, std::size_t{0});
  QVERIFY(channel.upper.meanRatio() == 1);
  QCOMPARE(channel.lower.observerBatches, std::size_t{0});
  QCOMPARE(channel.constantBatches, std::size_t{1});
}

void ModelReportTest::anotherAxisOnRequest() {
  const std::vector<Tensor> samples = unevenSamples({1, 30, 8}, 4, 5);
  QVERIFY(observed(samples, 2).modelReport(1) == nullptr);
  const Observation both = observed(samples, 2, {.reportAxis = 1});
  QCOMPARE(both.modelReport(2)->channels.size(), std::size_t{8});
  QCOMPARE(both.modelReport(1)->channels.size(), std::size_t{30});
  QVERIFY(sameReport(both.modelReport(1)->channels[3], reportByDefinition(samples, 1, 1, 3)));
  QCOMPARE(both.channelAxis, 2);
  const Observation first = observed(samples, 2, {.reportAxis = 0});
  QVERIFY(sameReport(first.modelReport(0)->channels.at(0), reportByDefinition(samples, 1, 0, 0)));
  QVERIFY(first.modelReport(1) == nullptr);
  const Observation none = observed(samples, -1, {.reportAxis = 1});
  QCOMPARE(none.channelAxis, -1);
  QVERIFY(none.channels.empty());
  QVERIFY(sameReport(none.modelReport(1)->channels[3], reportByDefinition(samples, 1, 1, 3)));
  QCOMPARE(observed(samples, 1, {.reportAxis = 1}).modelReports.size(), std::size_t{1});
  QVERIFY(observed({Tensor::of<float>({2}, {1, 2})}, -1, {.reportAxis = 1}).modelReports.empty());
}

// One outlier of n equal numbers has the kurtosis n − 2 + 1/(n − 1), wherever the samples are cut.
void ModelReportTest::kurtosisOfChannelsAndWhole() {
  const std::vector<Tensor> samples{Tensor::of<float>({1, 2, 3}, {1, 1, 1, 5, 5, 5}),
                                    Tensor::of<float>({1, 2, 3}, {1, 4, 1, 5, 6, 4})};
  const Observation result = observed(samples, 1);
  const std::vector<ChannelReport>& channels = result.modelReport(1)->channels;
  QVERIFY(std::abs(channels[0].moments.kurtosis() - 4.2) < 1e-14);
  QVERIFY(std::abs(channels[1].moments.kurtosis() - 3) < 1e-14);
  const Observation whole = observed(samples, -1);
  QVERIFY(whole.modelReports.empty());
  QVERIFY(whole.kurtosis > 1);
  QVERIFY(std::abs(whole.kurtosis - result.kurtosis) < 1e-13);
}

void ModelReportTest::channelsThatDiffer() {
  const std::vector<Tensor> samples{Tensor::of<float>({1, 2}, {1, 2}),
                                    Tensor::of<float>({1, 3}, {1, 2, 3})};
  QVERIFY(observed(samples, 1).modelReports.empty());
  QVERIFY(observed(samples, 1, {.batch = 2}).modelReports.empty());
  const std::vector<Tensor> ranks{samples[0], Tensor::of<float>({2}, {1, 2})};
  QVERIFY(observed(ranks, 1).modelReports.empty());
}

// What the first sample keeps is enough for batches of its own size: then the nearest counts.
void ModelReportTest::samplesOfTwoSizes() {
  const std::vector<Tensor> samples{unevenSamples({1, 2, 300}, 1, 1)[0],
                                    unevenSamples({1, 2, 50}, 1, 2)[0],
                                    unevenSamples({1, 2, 3000}, 1, 3)[0]};
  const Observation result = observed(samples, 1, {.batch = 3});
  const ChannelReport& channel = result.modelReport(1)->channels[1];
  const ChannelReport expected = reportByDefinition(samples, 3, 1, 1);
  QCOMPARE(channel.upper.batches, std::size_t{1});
  QVERIFY(channel.range == expected.range);
  QVERIFY(channel.upper.meanRatio() >= 1 && std::isfinite(channel.upper.meanRatio()));
}

QUANTSCOPE_TEST(ModelReportTest)
#include "test_model_report.moc"
