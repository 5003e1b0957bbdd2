#include <QtTest>
#include <cmath>
#include <random>

#include "analysis/errors/class_scores.h"
#include "analysis/errors/error_metrics.h"
#include "analysis/errors/output_errors.h"
#include "analysis/errors/tensor_errors.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// Sums of doubles over a few thousand terms: far more exact than this.
bool close(std::optional<double> found, double expected) {
  return found && std::abs(*found - expected) <= 1e-12 * std::max(1.0, std::abs(expected));
}

std::vector<float> randomVector(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

}  // namespace

class ErrorMetricsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void followTheirDefinitions();
  void extremes();
  void whatQuantizationMakesInfiniteIsInfinitelyWrong();
  void anotherShapeIsInfinitelyWrong();
  void changingShapesScoreNoClasses();
  void channelsAddUpInAnyLayout_data();
  void channelsAddUpInAnyLayout();
  void paddingOfABatchDoesNotCount();
  void top1AndClasses();
  void divergenceOfScores();
};

// Worked by hand: x = (3, −4), x̂ = (3.5, −4.5): Σx² = 25, Σd² = 0.5.
void ErrorMetricsTest::followTheirDefinitions() {
  const std::vector<float> x{3, -4};
  const std::vector<float> y{3.5F, -4.5F};
  const ErrorMetrics metrics = metricsOf(errorSums(x, y), 2.0);
  QVERIFY(close(metrics.sqnrDb, 10 * std::log10(25 / 0.5)));
  QVERIFY(close(metrics.nmse, 0.02));
  QVERIFY(close(metrics.mse, 0.25));
  QVERIFY(close(metrics.rmse, 0.5));
  QVERIFY(close(metrics.rmseOverScale, 0.25));
  QVERIFY(close(metrics.maxAbs, 0.5));
  QVERIFY(close(metrics.meanAbs, 0.5));
  QVERIFY(close(metrics.meanSigned, 0.0));
  QVERIFY(close(metrics.cosine, (10.5 + 18) / (5 * std::sqrt(3.5 * 3.5 + 4.5 * 4.5))));
}

void ErrorMetricsTest::extremes() {
  const std::vector<float> x{1, 2};
  const std::vector<float> zero{0, 0};
  QVERIFY(metricsOf(errorSums(x, x)).sqnrDb == kInfinity);
  QVERIFY(!metricsOf(errorSums(zero, x)).sqnrDb);  // no signal
  QVERIFY(!metricsOf(errorSums(zero, x)).nmse);
  QVERIFY(close(metricsOf(errorSums(x, zero)).sqnrDb, 0));
  QVERIFY(!metricsOf(errorSums(x, zero)).cosine);  // no direction
  QVERIFY(!metricsOf(ErrorSums{}).mse);
  const std::vector<float> broken{std::nanf(""), 2};
  const ErrorMetrics metrics = metricsOf(errorSums(x, broken));
  QCOMPARE(metrics.nonFinite, std::size_t{1});
  QCOMPARE(metrics.count, std::size_t{1});
}

// Two samples: in the first a NaN is new, in the second it was there before.
void ErrorMetricsTest::whatQuantizationMakesInfiniteIsInfinitelyWrong() {
  const float nan = std::nanf("");
  const auto tensor = [](std::vector<float> values) {
    return Tensor::of<float>({2, 2}, std::span<const float>(values));
  };
  const OutputRecord record =
      measureOutput(tensor({3, 2, nan, 2}), tensor({nan, 2, nan, 1}), 2, 2, false);
  QVERIFY(metricsOf(record.samples.at(0)).sqnrDb == -kInfinity);
  QCOMPARE(record.samples.at(0).nonFinite, std::size_t{0});
  QCOMPARE(record.samples.at(1).nonFinite, std::size_t{1});
  QVERIFY(close(metricsOf(record.samples.at(1)).sqnrDb, 20 * std::log10(2.0)));
}

// As of a NonZero that finds another element; of an empty reference there is no power either.
void ErrorMetricsTest::anotherShapeIsInfinitelyWrong() {
  const Tensor none(ElementType::Float32, {0, 2});
  const Tensor one = Tensor::of<float>(Shape{1, 2}, {1, 2});
  const Tensor two = Tensor::of<float>(Shape{2, 2}, {1, 2, 3, 4});
  for (const auto& [reference, quantized] : {std::pair(one, two), {two, one}, {none, one}}) {
    const OutputRecord record = measureOutput(reference, quantized, 3, 2, false);
    QCOMPARE(record.samples.size(), std::size_t{2});
    for (const ErrorSums& sample : record.samples) {
      QVERIFY(metricsOf(sample).sqnrDb == -kInfinity);
    }
    QVERIFY(!record.classes);
  }
}

void ErrorMetricsTest::changingShapesScoreNoClasses() {
  Graph graph;
  Value value;
  value.name = "y";
  const ValueId output = graph.addValue(value);
  OutputErrors errors(graph, output, {});
  const Tensor three = Tensor::of<float>(Shape{1, 3}, {1, 2, 3});
  const Tensor four = Tensor::of<float>(Shape{1, 4}, {1, 2, 3, 4});
  errors.add(measureOutput(three, three, 1, 1, false), 0);
  QVERIFY(errors.result().top1Agreement == 1.0);
  errors.add(measureOutput(four, three, 1, 1, false), 1);
  errors.add(measureOutput(three, three, 1, 1, false), 2);
  const OutputResult result = errors.result();
  QVERIFY(result.error.sqnrDb == -kInfinity);
  QCOMPARE(result.sampleSqnrDb.size(), std::size_t{3});
  QVERIFY(result.sampleSqnrDb[1] == -kInfinity);
  QVERIFY(!result.top1Agreement && !result.kl && result.floatClasses.empty());
}

void ErrorMetricsTest::channelsAddUpInAnyLayout_data() {
  QTest::addColumn<int>("axis");
  QTest::addColumn<int>("layout");
  for (const int axis : {-1, 1, 2, 3, ChannelAxis::kNone}) {
    for (const Layout layout : {Layout::Plain, Layout::ChannelsLast}) {
      QTest::addRow("axis %d %s", axis, layout == Layout::Plain ? "plain" : "channels last")
          << axis << static_cast<int>(layout);
    }
  }
}

void ErrorMetricsTest::channelsAddUpInAnyLayout() {
  QFETCH(int, axis);
  QFETCH(int, layout);
  const Shape shape{2, 3, 4, 5};
  const std::vector<float> x = randomVector(120, 1);
  const std::vector<float> y = randomVector(120, 2);
  const auto tensor = [&](const std::vector<float>& values) {
    return toLayout(Tensor::of<float>(shape, std::span<const float>(values)),
                    static_cast<Layout>(layout));
  };
  std::vector<ChannelSums> result(1);
  addErrors(tensor(x), tensor(y), {axis}, 1, result);

  const int real = ChannelAxis{axis}.of(4);
  const std::size_t channels =
      real < 0 ? 1 : static_cast<std::size_t>(shape[static_cast<std::size_t>(real)]);
  QCOMPARE(result[0].size(), channels);
  const Shape strides = rowMajorStrides(shape);
  for (std::size_t c = 0; c < channels; ++c) {
    double squared = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool inside = real < 0 || static_cast<std::int64_t>(i) /
                                              strides[static_cast<std::size_t>(real)] %
                                              shape[static_cast<std::size_t>(real)] ==
                                          static_cast<std::int64_t>(c);
      if (!inside) continue;
      squared += std::pow(static_cast<double>(y[i]) - x[i], 2);
      ++count;
    }
    QCOMPARE(result[0][c].count, count);
    QVERIFY(close(result[0][c].squaredError, squared));
  }
}

// Three rows at once, of which two are real samples.
void ErrorMetricsTest::paddingOfABatchDoesNotCount() {
  const Tensor x = Tensor::of<float>(Shape{3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor y = Tensor::of<float>(Shape{3, 2}, {1, 3, 3, 4, 0, 0});
  std::vector<ChannelSums> result(2);
  addErrors(x, y, {}, 3, result);
  QVERIFY(close(total(result[0]).squaredError, 1));
  QVERIFY(close(total(result[1]).squaredError, 0));
  QVERIFY(close(total(result[1]).referenceSquared, 25));
}

void ErrorMetricsTest::top1AndClasses() {
  const std::vector<float> scores{0.1F, 3, 3, std::nanf("")};
  QCOMPARE(top1(scores), std::size_t{1});
  const std::vector<float> broken{std::nanf(""), -1};
  QCOMPARE(top1(broken), std::size_t{1});
  QCOMPARE(classCount(Tensor(ElementType::Float32, {1, 10}), 1), std::optional<std::size_t>(10));
  QCOMPARE(classCount(Tensor(ElementType::Float32, {4, 10}), 4), std::optional<std::size_t>(10));
  QCOMPARE(classCount(Tensor(ElementType::Float32, {1, 10, 7}), 1), std::optional<std::size_t>());
  QCOMPARE(classCount(Tensor(ElementType::Float32, {1, 1}), 1), std::optional<std::size_t>());
}

// p = softmax(0, ln 3) = (1/4, 3/4), q = (1/2, 1/2): ¼·ln ½ + ¾·ln 1½.
void ErrorMetricsTest::divergenceOfScores() {
  const double expected = 0.25 * std::log(0.5) + 0.75 * std::log(1.5);
  const std::vector<float> p{0, std::log(3.0F)};
  const std::vector<float> q{5, 5};
  QVERIFY(std::abs(klDivergence(p, q, false) - expected) < 1e-6);
  const std::vector<float> pProbabilities{0.25F, 0.75F};
  const std::vector<float> qProbabilities{0.5F, 0.5F};
  QVERIFY(std::abs(klDivergence(pProbabilities, qProbabilities, true) - expected) < 1e-12);
  const std::vector<float> certain{0, 1};
  QVERIFY(std::isfinite(klDivergence(qProbabilities, certain, true)));
  QVERIFY(klDivergence(p, p, false) == 0);
}

QUANTSCOPE_TEST(ErrorMetricsTest)
#include "test_error_metrics.moc"
