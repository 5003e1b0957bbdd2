#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "calibration/histograms/kept_bins.h"
#include "calibration/histograms/magnitude_bins.h"
#include "calibration/observed_numbers.h"
#include "calibration/observers/observed_magnitudes.h"
#include "calibration/observers/observed_range.h"
#include "calibration/observers/value_observer.h"
#include "calibration/peer_numbers.h"
#include "calibration/range_searches/mse_range.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/codes/magnitude_grid.h"
#include "support/quant_params.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kCount = 40000;

// The standard library's distributions differ between its makers; these do not.
double uniform(std::mt19937& random) {
  return (static_cast<double>(random()) + 0.5) * 0x1p-32;
}

template <class Shape>
Numbers drawn(const Shape& shape) {
  std::mt19937 random(17);
  Numbers numbers(kCount);
  for (float& number : numbers) number = static_cast<float>(shape(random));
  return numbers;
}

double gaussian(std::mt19937& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(6.283185307179586 * uniform(random));
}

Numbers gaussians() {
  return drawn(gaussian);
}

Numbers laplacians() {
  return drawn([](std::mt19937& random) {
    const double x = uniform(random) - 0.5;
    return std::copysign(std::log(1 - 2 * std::abs(x)), -x);
  });
}

Numbers uniforms() {
  return drawn([](std::mt19937& random) { return 2 * uniform(random) - 1; });
}

Numbers rectified() {
  return drawn([](std::mt19937& random) { return std::max(gaussian(random), 0.0); });
}

Numbers withOutlier(Numbers numbers, float outlier) {
  numbers[7] = outlier;
  return numbers;
}

Range searched(const Numbers& numbers, const char* observer, const QuantParams& params) {
  return computeRange(observed(numbers), parseObserver(observer), params);
}

Numbers quantized(const Numbers& numbers, const Range& range, const QuantParams& params) {
  Numbers out(numbers.size());
  fakeQuantize(numbers, out, params.codes(), gridFromRange(range, params));
  return out;
}

double squaredError(const Numbers& numbers, const Range& range, const QuantParams& params) {
  const Numbers out = quantized(numbers, range, params);
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double error = static_cast<double>(out[i]) - static_cast<double>(numbers[i]);
    sum += error * error;
  }
  return sum;
}

double codeEntropy(const Numbers& numbers, const Range& range, const QuantParams& params) {
  std::map<float, double> counts;
  for (const float x : quantized(numbers, range, params)) ++counts[x];
  double entropy = 0;
  for (const auto& [value, count] : counts) {
    const double share = count / static_cast<double>(numbers.size());
    entropy -= share * std::log2(share);
  }
  return entropy;
}

// The least cost of ranges on a fine net, with the numbers themselves.
template <class Cost>
double leastCost(const Numbers& numbers, const QuantParams& params, const Cost& cost) {
  constexpr int kSteps = 60;
  const auto [low, high] = std::ranges::minmax(numbers);
  double least = cost(numbers, Range{low, high, false}, params);
  for (int i = 1; i <= kSteps; ++i) {
    const float upper = high * static_cast<float>(i) / kSteps;
    if (params.symmetric || low >= 0) {
      const float lower = params.symmetric ? -upper : low;
      least = std::min(least, cost(numbers, Range{lower, upper, false}, params));
      continue;
    }
    for (int j = i % 4 + 1; j <= kSteps; j += 4) {
      const float lower = low * static_cast<float>(j) / kSteps;
      least = std::min(least, cost(numbers, Range{lower, upper, false}, params));
    }
  }
  return least;
}

}  // namespace

/// Searches of a clip range in the log-linear histogram, against the numbers themselves.
class RangeSearchesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void leastSquaredError_data();
  void leastSquaredError();
  void mseIsNeverWorseThanTheWholeRange();
  void mseKnowsTheType();
  void mostCodeEntropy_data();
  void mostCodeEntropy();
  void codeEntropyClipsHard();
  void klAgreesWithItsDefinition();
  void klClipsHeavyTails();
  void klIsNotBlindedByOutliers();
  void klIgnoresZeros();
  void klKeepsWhatLiesFarFromZero();
  void klTakesFewBinsFarFromZero();
  void uniformNumbersAreKept();
  void constantsAndTypesWithoutRange();
  void magnitudesOfAHistogram();
};

void RangeSearchesTest::leastSquaredError_data() {
  QTest::addColumn<Numbers>("numbers");
  QTest::addColumn<QString>("type");
  QTest::addColumn<bool>("symmetric");
  const std::pair<const char*, Numbers> all[] = {{"gaussian", gaussians()},
                                                 {"laplacian", laplacians()},
                                                 {"uniform", uniforms()},
                                                 {"rectified", rectified()},
                                                 {"outlier", withOutlier(gaussians(), 60)}};
  for (const auto& [shape, numbers] : all) {
    for (const char* type : {"int8", "int4", "int2", "fp8e4m3", "fp8e5m2"}) {
      QTest::addRow("%s, %s", shape, type) << numbers << QString(type) << true;
    }
    for (const char* type : {"uint8", "uint4"}) {
      QTest::addRow("%s, %s asymmetric", shape, type) << numbers << QString(type) << false;
    }
  }
}

// Within 2 %: the histogram knows numbers to 1/32, and ends of a range are ends of its bins.
void RangeSearchesTest::leastSquaredError() {
  QFETCH(Numbers, numbers);
  QFETCH(QString, type);
  QFETCH(bool, symmetric);
  const QuantParams params = paramsFor(type, symmetric);
  const double error = squaredError(numbers, searched(numbers, "mse", params), params);
  const double least = leastCost(numbers, params, squaredError);
  QVERIFY2(error <= 1.02 * least, QByteArray::number(error / least));
}

// Also where an outlier has a bin for itself, and of so few numbers that a histogram tells little.
void RangeSearchesTest::mseIsNeverWorseThanTheWholeRange() {
  for (const char* type : {"int8", "int4", "fp8e4m3"}) {
    const QuantParams params = paramsFor(type, true);
    for (const float outlier : {30.0F, 1000.0F, 1e6F}) {
      const Numbers numbers = withOutlier(gaussians(), outlier);
      const Range whole = observed(numbers).range;
      QVERIFY(squaredError(numbers, searched(numbers, "mse", params), params) <=
              1.0001 * squaredError(numbers, whole, params));
    }
    const Numbers all = gaussians();
    for (std::size_t first = 0; first + 9 <= 1800; first += 9) {
      const auto few = std::span(all).subspan(first, 9);
      const Numbers numbers(few.begin(), few.end());
      const Observation observation = observed(numbers);
      const Range found = mseRange(few, observation, params);
      QVERIFY(squaredError(numbers, found, params) <=
              1.0001 * squaredError(numbers, observation.range, params));
    }
  }
}

// Known from the literature on clipping a Gaussian: about 4 standard deviations for 8 bits and
// about 2.5 for 4 (Banner and others, "Post training 4-bit quantization", 2019).
void RangeSearchesTest::mseKnowsTheType() {
  const Numbers numbers = gaussians();
  const float eight = searched(numbers, "mse", paramsFor("int8", true)).high;
  const float four = searched(numbers, "mse", paramsFor("int4", true)).high;
  QVERIFY2(eight > 3.5F && eight < 4.3F, QByteArray::number(eight));
  QVERIFY2(four > 2.2F && four < 2.8F, QByteArray::number(four));
}

void RangeSearchesTest::mostCodeEntropy_data() {
  QTest::addColumn<Numbers>("numbers");
  QTest::addColumn<QString>("type");
  QTest::addColumn<bool>("symmetric");
  for (const char* type : {"int8", "int4", "fp8e4m3"}) {
    QTest::addRow("gaussian, %s", type) << gaussians() << QString(type) << true;
    QTest::addRow("laplacian, %s", type) << laplacians() << QString(type) << true;
  }
  QTest::newRow("gaussian, uint4") << gaussians() << "uint4" << false;
  QTest::newRow("outlier, int8") << withOutlier(gaussians(), 60) << "int8" << true;
}

void RangeSearchesTest::mostCodeEntropy() {
  QFETCH(Numbers, numbers);
  QFETCH(QString, type);
  QFETCH(bool, symmetric);
  const QuantParams params = paramsFor(type, symmetric);
  const double entropy =
      codeEntropy(numbers, searched(numbers, "max-code-entropy", params), params);
  const double most =
      -leastCost(numbers, params, [](const auto&... all) { return -codeEntropy(all...); });
  QVERIFY2(entropy >= most - 0.03, QByteArray::number(entropy - most));
}

void RangeSearchesTest::codeEntropyClipsHard() {
  const Range range = searched(gaussians(), "max-code-entropy", paramsFor("int8", true));
  QVERIFY2(range.high > 1.8F && range.high < 2.2F, QByteArray::number(range.high));
}

// Written down from the definition, one bin at a time.
void RangeSearchesTest::klAgreesWithItsDefinition() {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    const std::size_t levels = 1 + random() % 9;
    std::vector<double> counts(levels + random() % 40);
    for (double& count : counts) count = static_cast<double>(random() % 4 == 0 ? 0 : random() % 50);
    const double beyond = static_cast<double>(random() % 5);
    double least = std::numeric_limits<double>::infinity();
    std::size_t expected = counts.size();
    for (std::size_t kept = counts.size(); kept >= levels; --kept) {
      double outliers = beyond;
      for (std::size_t i = kept; i < counts.size(); ++i) outliers += counts[i];
      std::vector<double> p(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(kept));
      p.back() += outliers;
      double keptTotal = 0;
      for (std::size_t i = 0; i < kept; ++i) keptTotal += counts[i];
      if (keptTotal == 0 || keptTotal < outliers) continue;
      double divergence = 0;
      for (std::size_t i = 0; i < kept; ++i) {
        if (p[i] == 0) continue;
        std::size_t level = 0;
        while ((level + 1) * kept / levels <= i) ++level;
        double merged = 0;
        double filled = 0;
        for (std::size_t k = level * kept / levels; k < (level + 1) * kept / levels; ++k) {
          merged += counts[k];
          filled += p[k] > 0 ? 1 : 0;
        }
        const double share = p[i] / (keptTotal + outliers);
        divergence += share * std::log(share / (std::max(merged, 1e-4) / filled / keptTotal));
      }
      if (divergence < least - 1e-12) {
        least = divergence;
        expected = kept;
      }
    }
    QCOMPARE(bestKeptBins(counts, beyond, levels), expected);
  }
}

void RangeSearchesTest::klClipsHeavyTails() {
  Numbers numbers = laplacians();
  for (float& x : numbers) x *= std::abs(x);
  const auto [low, high] = std::ranges::minmax(numbers);
  for (const char* type : {"int8", "int4"}) {
    const Range range = searched(numbers, "kl", paramsFor(type, true));
    QVERIFY2(range.high < 0.8F * high, QByteArray::number(range.high / high));
    QVERIFY2(range.high > 3, QByteArray::number(range.high));
    QVERIFY(range.low >= low);
  }
}

void RangeSearchesTest::klIsNotBlindedByOutliers() {
  for (const float outlier : {60.0F, -1000.0F, 1e6F, 1e20F}) {
    const Numbers numbers = withOutlier(gaussians(), outlier);
    for (const char* type : {"int8", "int4"}) {
      const Range range = searched(numbers, "kl", paramsFor(type, true));
      QVERIFY2(range.high > 2 && range.high < 8, QByteArray::number(range.high));
      QVERIFY2(range.low < -2 && range.low > -8, QByteArray::number(range.low));
    }
  }
}

// Half of the numbers are zeros, which every grid has.
void RangeSearchesTest::klIgnoresZeros() {
  const Range range = searched(rectified(), "kl", paramsFor("uint8", false));
  QVERIFY2(range.low == 0 && range.high > 3, QByteArray::number(range.high));
}

// Numbers behind a gap: the first of them are not all.
void RangeSearchesTest::klKeepsWhatLiesFarFromZero() {
  Numbers shifted = gaussians();
  for (float& x : shifted) x = 10 + x;
  for (const char* type : {"int8", "int4", "uint4"}) {
    const Range range = searched(shifted, "kl", paramsFor(type, type[0] == 'i'));
    QVERIFY2(range.high > 11, QByteArray::number(range.high));
  }
}

// The bins of the linear histogram are as narrow as the range: there are millions from 0 to there.
void RangeSearchesTest::klTakesFewBinsFarFromZero() {
  for (const float sign : {1.0F, -1.0F}) {
    Numbers numbers = uniforms();
    for (float& x : numbers) x = sign * (1000 + x / 1024);
    const Observation observation = observed(numbers);
    QVERIFY(observation.linearBins().width < 0x1p-11);
    const MagnitudeBins bins = magnitudeBins(observation, binMasses(observation));
    QCOMPARE(bins.counts.size(), std::size_t{2048});
    QCOMPARE(bins.width, observation.absmax() / 2048.0);
    const auto [low, high] = std::ranges::minmax(numbers);
    const Range range = searched(numbers, "kl", paramsFor("int8", true));
    QVERIFY(range.low == low && range.high == high);
  }
}

void RangeSearchesTest::uniformNumbersAreKept() {
  const Numbers numbers = uniforms();
  for (const char* observer : {"mse", "kl", "max-code-entropy"}) {
    const Range range = searched(numbers, observer, paramsFor("int8", true));
    QVERIFY2(range.high > 0.97F && range.low < -0.97F, observer);
    const Range asymmetric = searched(numbers, observer, paramsFor("uint8", false));
    QVERIFY2(asymmetric.high > 0.97F && asymmetric.low < -0.97F, observer);
  }
}

void RangeSearchesTest::constantsAndTypesWithoutRange() {
  for (const char* observer : {"mse", "kl", "max-code-entropy"}) {
    for (const float constant : {3.5F, -1e-20F, 0.0F}) {
      const Range range = searched(Numbers(100, constant), observer, paramsFor("int8", true));
      QVERIFY2((range == Range{constant, constant, false}), observer);
    }
    for (const char* type : {"fp16", "bf16", "ternary", "binary"}) {
      const Numbers numbers{-2, 1, 5};
      if (QString(observer) == "kl" && hasScale(paramsFor(type, true).type)) continue;
      const Range range = searched(numbers, observer, paramsFor(type, true));
      QVERIFY2((range == Range{-2, 5, false}), type);
    }
  }
}

// Within the width of a bin of the grid from the numbers themselves, and exact for constants.
void RangeSearchesTest::magnitudesOfAHistogram() {
  for (const Numbers& numbers : {gaussians(), laplacians(), rectified(), Numbers(50, -0.37F)}) {
    const Observation observation = observed(numbers);
    for (const QuantType type : {QuantType::Ternary, QuantType::Binary}) {
      const Grid exact = magnitudeGrid(type, numbers);
      const Grid grid = magnitudeGrid(type, observation.logLinear, observation.range);
      const bool constant = observation.range.low == observation.range.high;
      const float tolerance = constant ? 0 : 1.0F / 64;
      QVERIFY(std::abs(grid.scale - exact.scale) <= tolerance * exact.scale);
      QVERIFY(std::abs(grid.threshold - exact.threshold) <= tolerance * exact.threshold);
    }
  }
}

QUANTSCOPE_TEST(RangeSearchesTest)
#include "test_range_searches.moc"
