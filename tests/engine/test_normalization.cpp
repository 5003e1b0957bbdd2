#include <QtTest>
#include <cmath>

#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct Statistics {
  double mean = 0;
  double variance = 0;
};

Statistics statisticsOf(const std::vector<double>& values, const std::vector<std::size_t>& which) {
  Statistics result;
  for (const std::size_t i : which) result.mean += values[i];
  result.mean /= static_cast<double>(which.size());
  for (const std::size_t i : which) {
    result.variance += (values[i] - result.mean) * (values[i] - result.mean);
  }
  result.variance /= static_cast<double>(which.size());
  return result;
}

/// (x − mean) / √(variance + ε) over groups of neighbouring elements in logical order.
std::vector<double> standardized(const Tensor& x, std::size_t groupSize, double epsilon) {
  std::vector<double> values = elements(x);
  const std::vector<double> source = values;
  for (std::size_t first = 0; first < values.size(); first += groupSize) {
    std::vector<std::size_t> which(groupSize);
    for (std::size_t i = 0; i < groupSize; ++i) which[i] = first + i;
    const Statistics statistics = statisticsOf(source, which);
    for (const std::size_t i : which) {
      values[i] = (source[i] - statistics.mean) / std::sqrt(statistics.variance + epsilon);
    }
  }
  return values;
}

/// Elements at `position` positions per channel become value · scale + bias of their channel.
void scaleChannels(std::vector<double>& values, const Shape& shape, const Tensor& scale,
                   const Tensor& bias) {
  const auto positions = static_cast<std::size_t>(shape.elementCount(2, shape.rank()));
  const std::vector<double> gains = elements(scale);
  const std::vector<double> shifts = elements(bias);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i / positions % static_cast<std::size_t>(shape[1]);
    values[i] = values[i] * gains[channel] + shifts[channel];
  }
}

/// x · factor + offset, to give statistics that cancel badly.
Tensor shifted(const Tensor& x, float factor, float offset) {
  Tensor result(ElementType::Float32, x.shape());
  for (std::size_t i = 0; i < x.elementCount(); ++i) {
    result.mutableValues<float>()[i] = x.values<float>()[i] * factor + offset;
  }
  return result;
}

}  // namespace

class NormalizationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void batchNormalizationByHand();
  void batchNormalizationInBothLayouts();
  void batchNormalizationTrains();
  void instanceNormalizationMatches_data();
  void instanceNormalizationMatches();
  void groupNormalizationMatches_data();
  void groupNormalizationMatches();
  void layerNormalizationMatches_data();
  void layerNormalizationMatches();
  void localResponseByHand();
  void meanVarianceOverAnyAxes();
  void lpNormalizationByHand();
  void badShapesAreErrors();
};

void NormalizationTest::batchNormalizationByHand() {
  const OperatorRunner runner("y = BatchNormalization(x, s, b, m, v) epsilon=1.0");
  const auto vector = [](std::initializer_list<float> values) {
    return Tensor::of<float>({2}, values);
  };
  // Factors 4 / √(3 + 1) = 2 and 9 / √(8 + 1) = 3.
  const std::vector<Tensor> parameters{vector({4, 9}), vector({1, -1}), vector({5, 0}),
                                       vector({3, 8})};
  const Tensor x = Tensor::of<float>({1, 2, 1, 2}, {5, 6, 1, 2});
  const Tensor expected = Tensor::of<float>({1, 2, 1, 2}, {1, 3, 2, 5});
  std::vector<Tensor> inputs{x};
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  QVERIFY(identical(runner(inputs), expected));
  inputs[0] = toLayout(x, Layout::ChannelsLast);
  QVERIFY(identical(runner(inputs), expected));
  inputs[0] = Tensor::of<float>({2, 2}, {5, 1, 6, 2});
  QVERIFY(identical(runner(inputs), Tensor::of<float>({2, 2}, {1, 2, 3, 5})));
  for (Tensor& input : inputs) input = fromFloat32(input, ElementType::Float64);
  QVERIFY(identical(runner(inputs), Tensor::of<double>({2, 2}, {1, 2, 3, 5})));
}

void NormalizationTest::batchNormalizationInBothLayouts() {
  const OperatorRunner runner("y = BatchNormalization(x, s, b, m, v)");
  const Tensor x = randomTensor(Shape{2, 19, 5, 7}, 1);
  std::vector<Tensor> inputs{x};
  for (unsigned i = 0; i < 4; ++i)
    inputs.push_back(shifted(randomTensor(Shape{19}, 2 + i), 0.3F, 1));
  const Tensor plain = runner(inputs);
  inputs[0] = toLayout(x, Layout::ChannelsLast);
  QVERIFY(identical(plain, runner(inputs)));
}

void NormalizationTest::batchNormalizationTrains() {
  const OperatorRunner runner(
      "y, m2, v2 = BatchNormalization(x, s, b, m, v) training_mode=1 momentum=0.75 epsilon=0.0");
  const auto one = [](float value) { return Tensor::of<float>({1}, {value}); };
  // Mean 3 and variance 4 of its own.
  const Tensor x = Tensor::of<float>({2, 1, 2}, {1, 5, 5, 1});
  const auto outputs = runner.run({x, one(1), one(0), one(7), one(8)});
  QVERIFY(identical(outputs[0], Tensor::of<float>({2, 1, 2}, {-1, 1, 1, -1})));
  QVERIFY(identical(outputs[1], one(6)));  // 0.75 · 7 + 0.25 · 3
  QVERIFY(identical(outputs[2], one(7)));  // 0.75 · 8 + 0.25 · 4
}

void NormalizationTest::instanceNormalizationMatches_data() {
  QTest::addColumn<QString>("shape");
  QTest::addColumn<float>("offset");
  QTest::newRow("image") << "2,3,13,17" << 0.0F;
  QTest::newRow("far from zero") << "1,3,40,50" << 100.0F;
  QTest::newRow("signal") << "2,5,9" << 0.0F;
  QTest::newRow("volume") << "1,2,3,4,5" << 0.0F;
  QTest::newRow("many blocks") << "1,2,100,90" << 3.0F;
}

void NormalizationTest::instanceNormalizationMatches() {
  QFETCH(QString, shape);
  QFETCH(float, offset);
  const Tensor x = shifted(randomTensor(shapeOf(shape.toStdString()), 1), 2, offset);
  const std::int64_t channels = x.shape()[1];
  const Tensor scale = randomTensor(Shape{channels}, 2);
  const Tensor bias = randomTensor(Shape{channels}, 3);
  const auto positions = static_cast<std::size_t>(x.shape().elementCount(2, x.shape().rank()));
  std::vector<double> expected = standardized(x, positions, 1e-5);
  scaleChannels(expected, x.shape(), scale, bias);
  const OperatorRunner runner("y = InstanceNormalization(x, s, b)");
  // The result is x · f + g in float with |x · f| up to (offset + 2) / 1.1.
  const double bound = 4 * 0x1p-24 * (static_cast<double>(offset) + 4);
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast}) {
    const std::string found =
        difference(runner({toLayout(x, layout), scale, bias}), x.shape(), expected, {bound});
    QVERIFY2(found.empty(), found.c_str());
  }
}

void NormalizationTest::groupNormalizationMatches_data() {
  QTest::addColumn<int>("version");
  QTest::newRow("scales per group") << 18;
  QTest::newRow("scales per channel") << 21;
}

void NormalizationTest::groupNormalizationMatches() {
  QFETCH(int, version);
  const Tensor x = randomTensor(Shape{2, 6, 7, 5}, 1);
  const std::int64_t parameters = version < 21 ? 3 : 6;
  const Tensor scale = randomTensor(Shape{parameters}, 2);
  const Tensor bias = randomTensor(Shape{parameters}, 3);
  std::vector<double> expected = standardized(x, 2 * 7 * 5, 1e-5);
  const auto repeated = [&](const Tensor& tensor) {
    Tensor result(ElementType::Float32, Shape{6});
    for (std::size_t i = 0; i < 6; ++i) {
      result.mutableValues<float>()[i] = tensor.values<float>()[version < 21 ? i / 2 : i];
    }
    return result;
  };
  scaleChannels(expected, x.shape(), repeated(scale), repeated(bias));
  const OperatorRunner runner("y = GroupNormalization(x, s, b) num_groups=3", version);
  const std::string found = difference(runner({x, scale, bias}), x.shape(), expected, {2e-6});
  QVERIFY2(found.empty(), found.c_str());
}

void NormalizationTest::layerNormalizationMatches_data() {
  QTest::addColumn<int>("axis");
  QTest::addColumn<QString>("statistics");
  QTest::newRow("last") << -1 << "3,4,1";
  QTest::newRow("last two") << 1 << "3,1,1";
  QTest::newRow("all") << 0 << "1,1,1";
}

void NormalizationTest::layerNormalizationMatches() {
  QFETCH(int, axis);
  QFETCH(QString, statistics);
  const Tensor x = shifted(randomTensor(Shape{3, 4, 50}, 1), 1, 2);
  const std::size_t first = normalizeAxis(axis, 3);
  const auto size = static_cast<std::size_t>(x.shape().elementCount(first, 3));
  const Shape normalized(x.shape().dimensions().subspan(first));
  const Tensor scale = randomTensor(normalized, 2);
  const Tensor bias = randomTensor(normalized, 3);
  std::vector<double> expected = standardized(x, size, 1e-5);
  const std::vector<double> gains = elements(scale);
  const std::vector<double> shifts = elements(bias);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = expected[i] * gains[i % size] + shifts[i % size];
  }
  const OperatorRunner runner("y, m, i = LayerNormalization(x, s, b) axis=" + std::to_string(axis));
  const std::vector<Tensor> outputs = runner.run({x, scale, bias});
  const std::string found = difference(outputs[0], x.shape(), expected, {2e-6});
  QVERIFY2(found.empty(), found.c_str());

  std::vector<double> means;
  std::vector<double> inverses;
  const std::vector<double> source = elements(x);
  for (std::size_t start = 0; start < source.size(); start += size) {
    std::vector<std::size_t> which(size);
    for (std::size_t i = 0; i < size; ++i) which[i] = start + i;
    const Statistics row = statisticsOf(source, which);
    means.push_back(row.mean);
    inverses.push_back(1 / std::sqrt(row.variance + 1e-5));
  }
  const Shape shape = shapeOf(statistics.toStdString());
  QVERIFY(difference(outputs[1], shape, means, {1e-6}).empty());
  QVERIFY(difference(outputs[2], shape, inverses, {1e-6}).empty());
}

void NormalizationTest::localResponseByHand() {
  // alpha / size = 1, beta = 1: y = x / (1 + Σ x²) over the channel, its left and two right ones.
  const OperatorRunner runner("y = LRN(x) size=4 alpha=4.0 beta=1.0 bias=1.0");
  const Tensor x = Tensor::of<float>({1, 4, 1, 1}, {1, 2, 3, 4});
  const std::vector<double> expected{1 / 15.0, 2 / 31.0, 3 / 30.0, 4 / 26.0};
  const std::string found = difference(runner({x}), x.shape(), expected, {1e-6});
  QVERIFY2(found.empty(), found.c_str());
  QVERIFY(identical(runner({x}), runner({toLayout(x, Layout::ChannelsLast)})));
}

void NormalizationTest::meanVarianceOverAnyAxes() {
  const Tensor x = randomTensor(Shape{2, 3, 4, 5}, 1);
  const OperatorRunner spatial("y = MeanVarianceNormalization(x) axes=[2,-1]");
  const std::string found = difference(spatial({x}), x.shape(), standardized(x, 20, 1e-9), {1e-6});
  QVERIFY2(found.empty(), found.c_str());
  // Without axes: images and positions, per channel.
  const Tensor moved = Tensor::of<float>({2, 2, 1, 1}, {1, 10, 5, 30});
  const OperatorRunner usual("y = MeanVarianceNormalization(x)");
  const std::string second = difference(usual({moved}), moved.shape(), {-1, -1, 1, 1}, {1e-6});
  QVERIFY2(second.empty(), second.c_str());
}

void NormalizationTest::lpNormalizationByHand() {
  const Tensor x = Tensor::of<float>({2, 2}, {3, 0, -4, 0});
  QVERIFY(identical(OperatorRunner("y = LpNormalization(x) axis=0")({x}),
                    Tensor::of<float>({2, 2}, {0.6F, 0, -0.8F, 0})));
  QVERIFY(identical(OperatorRunner("y = LpNormalization(x) axis=1 p=1")({x}),
                    Tensor::of<float>({2, 2}, {1, 0, -1, 0})));
  VERIFY_ERROR(OperatorRunner("y = LpNormalization(x) p=3"), "p = 3");
}

void NormalizationTest::badShapesAreErrors() {
  const Tensor x = randomTensor(Shape{1, 3, 4, 4}, 1);
  const Tensor two = randomTensor(Shape{2}, 1);
  const Tensor three = randomTensor(Shape{3}, 1);
  const OperatorRunner batch("y = BatchNormalization(x, s, b, m, v)");
  VERIFY_ERROR(batch({x, three, three, two, three}), "does not fit 3 channels");
  VERIFY_ERROR(batch({randomTensor(Shape{3}, 1), three, three, three, three}), "no channel axis");
  VERIFY_ERROR(OperatorRunner("y = BatchNormalization(x, s, b, m, v) spatial=0",
                              7)({x, three, three, three, three}),
               "does not fit 48 channels");
  VERIFY_ERROR(OperatorRunner("y = InstanceNormalization(x, s, b)")({x, two, three}),
               "does not fit 3 channels");
  const OperatorRunner group("y = GroupNormalization(x, s, b) num_groups=2", 21);
  VERIFY_ERROR(group({x, three, three}), "2 groups");
  const OperatorRunner layer("y = LayerNormalization(x, s)");
  VERIFY_ERROR(layer({x, three}), "normalized axes");
  VERIFY_ERROR(OperatorRunner("y = LayerNormalization(x, s) axis=4")({x, three}), "axis 4");
  VERIFY_ERROR(OperatorRunner("y = LRN(x) size=0"), "size 0");
}

QUANTSCOPE_TEST(NormalizationTest)
#include "test_normalization.moc"
