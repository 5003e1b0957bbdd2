#include <QtTest>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/kernel_fixture.h"
#include "kernels/network/soft_activations.h"
#include "kernels/network/transcendental.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using FloatFunction = void (*)(std::span<const float>, std::span<float>);

double exactSoftplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

struct Function {
  const char* name;
  FloatFunction kernel;
  double (*exact)(double);
  double ulps;  ///< the promised bound
};

const std::array kFunctions = {
    Function{"exponential", exponential, [](double x) { return std::exp(x); }, 1},
    Function{"logistic", logistic, [](double x) { return 1 / (1 + std::exp(-x)); }, 3},
    Function{"hyperbolicTangent", hyperbolicTangent, [](double x) { return std::tanh(x); }, 6},
    Function{"errorFunction", errorFunction, [](double x) { return std::erf(x); }, 3},
    Function{"naturalLogarithm", naturalLogarithm, [](double x) { return std::log(x); }, 1},
    Function{"softplus", softplus, exactSoftplus, 3},
    Function{"mish", mish,
             [](double x) { return x < -87.33654 ? -0.0 : x * std::tanh(exactSoftplus(x)); }, 5},
    Function{"exponentialLinear",
             [](std::span<const float> x, std::span<float> y) { exponentialLinear(x, y, {}); },
             [](double x) { return x < 0 ? std::expm1(x) : x; }, 1},
};

constexpr double kSmallestNormal = 0x1p-126;

std::vector<float> evaluate(const Function& function, std::span<const float> x) {
  std::vector<float> y(x.size());
  function.kernel(x, y);
  return y;
}

/// |y − exact| in units in the last place of a float near `exact`; what the contract rounds to 0
/// or infinity must be exactly that.
double errorInUlps(float y, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(y) ? 0 : HUGE_VAL;
  if (std::isinf(nearest)) return y == nearest ? 0 : HUGE_VAL;
  if (std::abs(exact) < kSmallestNormal) {
    // Just below the border either side of it is within an ulp.
    const bool atBorder = std::abs(exact) > kSmallestNormal * (1 - 1e-5);
    return y == 0 || (atBorder && std::abs(y) == kSmallestNormal) ? 0 : HUGE_VAL;
  }
  const double ulp = std::ldexp(1.0, std::ilogb(exact) - 23);
  return std::abs(static_cast<double>(y) - exact) / ulp;
}

/// Every `stride`-th float there is, in the order of their bits.
std::vector<float> manyFloats(std::uint64_t stride) {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += stride) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  return values;
}

/// What the contract makes of an argument before the function sees it.
double effective(const Function& function, float x) {
  if (function.kernel == naturalLogarithm) return static_cast<double>(x);
  return std::abs(x) < static_cast<float>(kSmallestNormal) ? 0.0 : static_cast<double>(x);
}

}  // namespace

class TranscendentalTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void staysWithinItsBound_data();
  void staysWithinItsBound();
  void boundCatchesAWrongKernel();
  void factorsOfExponentialLinear();
  void specialValues_data();
  void specialValues();
  void everyTargetGivesTheSameBits_data() { addKernelModes(); }
  void everyTargetGivesTheSameBits();
  void anyLengthAndPlace_data() { addKernelModes(); }
  void anyLengthAndPlace();
};

void TranscendentalTest::staysWithinItsBound_data() {
  QTest::addColumn<int>("function");
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    QTest::newRow(kFunctions[i].name) << static_cast<int>(i);
  }
}

void TranscendentalTest::staysWithinItsBound() {
  QFETCH(int, function);
  const Function& tested = kFunctions[static_cast<std::size_t>(function)];
  const std::vector<float> x = manyFloats(2039);
  const std::vector<float> y = evaluate(tested, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = errorInUlps(y[i], tested.exact(effective(tested, x[i])));
    if (error <= tested.ulps) continue;
    QFAIL(qPrintable(QString("f(%1) = %2 is off by %3 ulp")
                         .arg(double{x[i]}, 0, 'g', 9)
                         .arg(double{y[i]}, 0, 'g', 9)
                         .arg(error)));
  }
}

void TranscendentalTest::boundCatchesAWrongKernel() {
  QVERIFY(errorInUlps(std::nextafter(1.0F, 2.0F), 1.0) > 0.99);
  QVERIFY(errorInUlps(1.0F + 0x1p-20F, 1.0) > 3);
  QVERIFY(errorInUlps(0.0F, 0x1p-100) > 3);
  QVERIFY(!(errorInUlps(std::numeric_limits<float>::quiet_NaN(), 1.0) <= 3));
  QVERIFY(errorInUlps(std::numeric_limits<float>::max(), HUGE_VAL) > 3);
}

void TranscendentalTest::factorsOfExponentialLinear() {
  const std::vector<float> x{-2, -0.5F, 0, 3};
  std::vector<float> y(x.size());
  exponentialLinear(x, y, {.positive = 2, .negative = 3, .argument = 0.5F});
  const double expected[] = {3 * std::expm1(-1.0), 3 * std::expm1(-0.25), 0, 6};
  for (std::size_t i = 0; i < y.size(); ++i) QVERIFY(errorInUlps(y[i], expected[i]) <= 2);
}

void TranscendentalTest::specialValues_data() {
  QTest::addColumn<int>("function");
  QTest::addColumn<float>("x");
  QTest::addColumn<float>("expected");
  const float inf = std::numeric_limits<float>::infinity();
  const float denormal = std::numeric_limits<float>::min() / 2;
  QTest::newRow("exp of -inf") << 0 << -inf << 0.0F;
  QTest::newRow("exp of inf") << 0 << inf << inf;
  QTest::newRow("exp of 0") << 0 << 0.0F << 1.0F;
  QTest::newRow("first exp that overflows") << 0 << 0x1.62E43p+6F << inf;
  QTest::newRow("first exp that underflows") << 0 << -0x1.5D58Ap+6F << 0.0F;
  QTest::newRow("exp of a denormal") << 0 << denormal << 1.0F;
  QTest::newRow("logistic of -inf") << 1 << -inf << 0.0F;
  QTest::newRow("logistic of inf") << 1 << inf << 1.0F;
  QTest::newRow("logistic of 0") << 1 << -0.0F << 0.5F;
  QTest::newRow("tanh of -inf") << 2 << -inf << -1.0F;
  QTest::newRow("tanh of -0") << 2 << -0.0F << -0.0F;
  QTest::newRow("tanh of a denormal") << 2 << -denormal << -0.0F;
  QTest::newRow("tanh far out") << 2 << 1e30F << 1.0F;
  QTest::newRow("erf of inf") << 3 << inf << 1.0F;
  QTest::newRow("erf of -0") << 3 << -0.0F << -0.0F;
  QTest::newRow("erf of a denormal") << 3 << denormal << 0.0F;
  QTest::newRow("log of 0") << 4 << 0.0F << -inf;
  QTest::newRow("log of -0") << 4 << -0.0F << -inf;
  QTest::newRow("log of 1") << 4 << 1.0F << 0.0F;
  QTest::newRow("log of inf") << 4 << inf << inf;
  QTest::newRow("log of the smallest denormal") << 4 << 0x1p-149F << -103.278929F;
  QTest::newRow("softplus of inf") << 5 << inf << inf;
  QTest::newRow("softplus of -inf") << 5 << -inf << 0.0F;
  QTest::newRow("mish of inf") << 6 << inf << inf;
  QTest::newRow("mish of -inf") << 6 << -inf << -0.0F;
  QTest::newRow("elu of -inf") << 7 << -inf << -1.0F;
  QTest::newRow("elu of inf") << 7 << inf << inf;
  QTest::newRow("elu of -0") << 7 << -0.0F << -0.0F;
  QTest::newRow("erf far out") << 3 << -1e30F << -1.0F;
}

void TranscendentalTest::specialValues() {
  QFETCH(int, function);
  QFETCH(float, x);
  QFETCH(float, expected);
  const Function& tested = kFunctions[static_cast<std::size_t>(function)];
  const std::vector<float> y = evaluate(tested, std::span<const float>(&x, 1));
  QCOMPARE(std::bit_cast<std::uint32_t>(y[0]), std::bit_cast<std::uint32_t>(expected));
}

void TranscendentalTest::everyTargetGivesTheSameBits() {
  const std::vector<float> x = hostileNumbers(20000, 100, 7);
  for (const Function& function : kFunctions) {
    const std::vector<float> expected = evaluate(function, x);
    const KernelMode mode = kernelModeOfRow();
    const std::ptrdiff_t at = firstDifference(evaluate(function, x), expected);
    QVERIFY2(at < 0, qPrintable(QString("%1 of element %2").arg(function.name).arg(at)));
  }
}

void TranscendentalTest::anyLengthAndPlace() {
  const KernelMode mode = kernelModeOfRow();
  const std::vector<float> x = hostileNumbers(5000, 10, 11);
  for (const Function& function : kFunctions) {
    const std::vector<float> expected = evaluate(function, x);
    for (const std::size_t length : kernelLengths()) {
      const auto part = std::span(x).first(length);
      OffsetArray inPlace(part, length % 16);
      function.kernel(inPlace.span(), inPlace.span());
      QCOMPARE(firstDifference(inPlace.span(), std::span(expected).first(length)), -1);
    }
  }
}

QUANTSCOPE_TEST(TranscendentalTest)
#include "test_transcendental.moc"
