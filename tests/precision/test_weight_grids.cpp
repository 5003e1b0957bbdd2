#include <QtTest>

#include "base/error.h"
#include "base/workers.h"
#include "calibration/peer_numbers.h"
#include "precision/parameters/weight_quantization.h"
#include "precision/quantized_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kObservers[] = {"minmax", "percentile:2:98", "histogram", "mse",
                                      "kl",     "max-code-entropy"};

// [2, 40, 3] with a magnitude of its own for each index.
Tensor weight() {
  Numbers numbers = uniformSums(240, 5, 4);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] *= static_cast<float>(i % 120 / 3 + 1);
  return Tensor::of<float>({2, 40, 3}, std::span<const float>(numbers));
}

TensorPrecision precisionOf(const char* observer, const Granularity& granularity,
                            QuantType type = QuantType::Int8) {
  TensorPrecision precision;
  precision.type = type;
  precision.symmetric = true;
  precision.observer = parseObserver(observer);
  precision.granularity = granularity;
  return precision;
}

Granularity along(int axis, Granularity::Kind kind, int groupSize = 0) {
  Granularity granularity;
  granularity.kind = kind;
  granularity.axis = axis;
  granularity.groupSize = groupSize;
  return granularity;
}

QuantParams paramsOf(const Tensor& tensor, const TensorPrecision& precision,
                     const JobContext* job = nullptr) {
  return weightParams(tensor, precision, 0, Convention::Onnx, job);
}

// The grid of the numbers alone, as a tensor of their own.
Grid gridOf(const Numbers& numbers, TensorPrecision precision) {
  precision.granularity = {};
  const Shape shape{static_cast<std::int64_t>(numbers.size())};
  return paramsOf(Tensor::of<float>(shape, std::span<const float>(numbers)), precision).grids[0];
}

// The elements of weight() whose indices are wanted.
template <class Wanted>
Numbers elements(const Wanted& wanted) {
  const Tensor tensor = weight();
  Numbers numbers;
  for (std::size_t i = 0; i < 240; ++i) {
    if (wanted(i / 120, i / 3 % 40, i % 3)) numbers.push_back(tensor.values<float>()[i]);
  }
  return numbers;
}

}  // namespace

/// Grids of weights, for each channel or group as if it were alone.
class WeightGridsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void channels();
  void groups();
  void aRangeSetByHandIsThatOfAllChannels();
  void sameForAnyNumberOfThreads();
  void canBeCancelled();
  void modelCanBeCancelled();
};

void WeightGridsTest::channels() {
  for (const char* observer : kObservers) {
    for (const QuantType type : {QuantType::Int8, QuantType::Ternary}) {
      const auto precision = precisionOf(observer, along(1, Granularity::Kind::PerChannel), type);
      const QuantParams params = paramsOf(weight(), precision);
      QCOMPARE(params.grids.size(), std::size_t{40});
      for (std::size_t c = 0; c < 40; ++c) {
        const Numbers own = elements([c](auto, std::size_t channel, auto) { return channel == c; });
        QVERIFY2(params.grids[c] == gridOf(own, precision), observer);
      }
    }
  }
}

// Of 16 channels, the last of each index of 8.
void WeightGridsTest::groups() {
  for (const char* observer : kObservers) {
    const auto precision = precisionOf(observer, along(1, Granularity::Kind::PerGroup, 16));
    const QuantParams params = paramsOf(weight(), precision);
    QCOMPARE(params.grids.size(), std::size_t{2 * 3 * 3});
    for (std::size_t g = 0; g < params.grids.size(); ++g) {
      const Numbers own = elements([g](std::size_t o, std::size_t channel, std::size_t i) {
        return (o * 3 + channel / 16) * 3 + i == g;
      });
      QCOMPARE(own.size(), std::size_t{g / 3 % 3 == 2 ? 8U : 16U});
      QVERIFY2(params.grids[g] == gridOf(own, precision), observer);
    }
  }
}

void WeightGridsTest::aRangeSetByHandIsThatOfAllChannels() {
  TensorPrecision precision = precisionOf("mse", along(1, Granularity::Kind::PerChannel));
  precision.range = Range{-1.27F, 1, false};
  const QuantParams params = paramsOf(weight(), precision);
  QCOMPARE(params.grids.size(), std::size_t{40});
  // Symmetric: 1.27 / 127.
  for (const Grid& grid : params.grids) {
    QVERIFY(std::abs(grid.scale - 0.01F) < 1e-8F && grid.zeroPoint == 0);
  }
}

void WeightGridsTest::sameForAnyNumberOfThreads() {
  for (const char* observer : kObservers) {
    for (const Granularity& granularity :
         {along(1, Granularity::Kind::PerChannel), along(1, Granularity::Kind::PerGroup, 4)}) {
      const TensorPrecision precision = precisionOf(observer, granularity);
      const QuantParams params = paramsOf(weight(), precision);
      for (const int threads : {1, 3}) {
        const Workers workers(threads);
        const JobContext job(workers);
        QVERIFY2(paramsOf(weight(), precision, &job) == params, observer);
      }
    }
  }
}

void WeightGridsTest::canBeCancelled() {
  const Workers workers(2);
  JobContext job(workers);
  job.requestCancel();
  for (const Granularity& granularity :
       {along(1, Granularity::Kind::PerChannel), along(1, Granularity::Kind::PerGroup, 16)}) {
    QVERIFY_THROWS_EXCEPTION(Cancelled, paramsOf(weight(), precisionOf("kl", granularity), &job));
  }
}

void WeightGridsTest::modelCanBeCancelled() {
  const QuantizedCase testCase(
      "input x:float[1,2]\nw:float[2,1]{1,2}\ny = MatMul(x, w) @m\noutput y\n",
      {Tensor::of<float>({1, 2}, {1, -3})});
  const Workers workers(2);
  JobContext job(workers);
  const auto quantize = [&] {
    return quantizeModel(testCase.engine, testCase.config, testCase.observations, &job);
  };
  QCOMPARE(quantize().layers.size(), testCase.model.layers.size());
  job.requestCancel();
  QVERIFY_THROWS_EXCEPTION(Cancelled, quantize());
}

QUANTSCOPE_TEST(WeightGridsTest)
#include "test_weight_grids.moc"
