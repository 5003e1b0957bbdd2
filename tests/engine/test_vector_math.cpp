#include <QtTest>
#include <cmath>

#include "engine/vector_math.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// Largest |actual / expected − 1| over `count` places from `first` to `last`.
template <class Actual, class Expected>
double worstRelativeError(double first, double last, int count, const Actual& actual,
                          const Expected& expected) {
  double worst = 0;
  for (int i = 0; i <= count; ++i) {
    const auto x = static_cast<float>(first + (last - first) * i / count);
    const double wanted = expected(static_cast<double>(x));
    if (wanted == 0) continue;
    worst = std::max(worst, std::abs(static_cast<double>(actual(x)) / wanted - 1));
  }
  return worst;
}

double exponential(double x) {
  return std::exp(x);
}
double hyperbolic(double x) {
  return std::tanh(x);
}
double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

class VectorMathTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void staysWithinItsBounds();
  void endsOfTheRange();
};

void VectorMathTest::staysWithinItsBounds() {
  constexpr int kCount = 1'000'000;
  QVERIFY(worstRelativeError(-86.8, 88.7, kCount, fastExp, exponential) < 3e-7);
  QVERIFY(worstRelativeError(-1e-3, 1e-3, kCount, fastExp, exponential) < 3e-7);
  QVERIFY(worstRelativeError(-86, 100, kCount, fastSigmoid, logistic) < 1e-6);
  QVERIFY(worstRelativeError(-12, 12, kCount, fastTanh, hyperbolic) < 1e-6);
  QVERIFY(worstRelativeError(-1e-4, 1e-4, kCount, fastTanh, hyperbolic) < 1e-6);
}

void VectorMathTest::endsOfTheRange() {
  QVERIFY(fastExp(0.0F) == 1.0F);
  QVERIFY(fastExp(-kInfinity) == 0.0F);
  QVERIFY(fastExp(-87.5F) == 0.0F);
  QVERIFY(fastExp(88.8F) == kInfinity);
  QVERIFY(fastExp(kInfinity) == kInfinity);
  QVERIFY(std::isnan(fastExp(std::nanf(""))));
  QVERIFY(fastSigmoid(kInfinity) == 1.0F);
  QVERIFY(fastSigmoid(-kInfinity) == 0.0F);
  QVERIFY(std::isnan(fastSigmoid(std::nanf(""))));
  QVERIFY(fastTanh(kInfinity) == 1.0F);
  QVERIFY(fastTanh(-kInfinity) == -1.0F);
  QVERIFY(std::signbit(fastTanh(-0.0F)));
  QVERIFY(std::isnan(fastTanh(std::nanf(""))));
}

QUANTSCOPE_TEST(VectorMathTest)
#include "test_vector_math.moc"
