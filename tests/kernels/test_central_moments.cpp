#include <QtTest>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/kernel_fixture.h"
#include "kernels/statistics/central_moments.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

double counted(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? 0.0 : x;
}

double folded(std::array<double, 8> lanes) {
  for (const std::size_t half : {4, 2, 1}) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

// The definition, lane by lane.
CentralMoments momentsByDefinition(std::span<const float> in, const MinMax& range) {
  const double centre = (static_cast<double>(range.min) + range.max) / 2;
  std::array<std::array<double, 8>, 4> lanes{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!std::isfinite(in[i])) continue;
    ++count;
    const double x = counted(in[i]) - centre;
    lanes[0][i % 8] += x;
    lanes[1][i % 8] += x * x;
    lanes[2][i % 8] += x * x * x;
    lanes[3][i % 8] += x * x * (x * x);
  }
  if (count == 0) return {};
  const auto n = static_cast<double>(count);
  const double a = folded(lanes[0]) / n;
  const double s2 = folded(lanes[1]);
  const double s3 = folded(lanes[2]);
  return {count, centre + a, std::max(s2 - n * a * a, 0.0), s3 - 3 * a * s2 + 2 * n * a * a * a,
          std::max(folded(lanes[3]) - 4 * a * s3 + 6 * a * a * s2 - 3 * n * a * a * a * a, 0.0)};
}

// The definition, in two passes and in long double.
CentralMoments exact(std::span<const float> in) {
  long double mean = 0;
  for (const float x : in) mean += counted(x);
  mean /= static_cast<long double>(in.size());
  long double m2 = 0;
  long double m3 = 0;
  long double m4 = 0;
  for (const float x : in) {
    const long double d = counted(x) - mean;
    m2 += d * d;
    m3 += d * d * d;
    m4 += d * d * d * d;
  }
  return {in.size(), static_cast<double>(mean), static_cast<double>(m2), static_cast<double>(m3),
          static_cast<double>(m4)};
}

bool close(double found, double expected, double tolerance) {
  return std::abs(found - expected) <= tolerance * std::abs(expected);
}

CentralMoments momentsOf(std::span<const float> in) {
  return centralMoments(in, minMax(in));
}

// Numbers in ±1 far from 0.
std::vector<float> shifted(std::vector<float> numbers, float by) {
  for (float& x : numbers) x += by;
  return numbers;
}

}  // namespace

class CentralMomentsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsItsTwin_data() { addKernelModes(); }
  void equalsItsTwin();
  void knownMoments();
  void denormalsCountAsZero_data() { addKernelModes(); }
  void denormalsCountAsZero();
  void staysExactFarFromZero();
  void partsAddUp();
  void comparisonSeesAnotherOrder();
};

void CentralMomentsTest::equalsItsTwin() {
  for (const std::size_t length : kernelLengths()) {
    for (const auto& in : {hostileNumbers(length, 3.0F, 1), tameNumbers(length, 1)}) {
      const MinMax range = minMax(in);
      const CentralMoments expected = momentsByDefinition(in, range);
      for (const std::size_t offset : {0, 1, 3}) {
        OffsetArray source(in, offset);
        const KernelMode mode = kernelModeOfRow();
        QVERIFY(centralMoments(source.span(), range) == expected);
      }
    }
  }
}

void CentralMomentsTest::knownMoments() {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> in{1, 2, std::nanf(""), 0, infinity, -infinity};
  QVERIFY(momentsOf(in) == (CentralMoments{3, 1, 2, 0, 2}));
  QVERIFY(momentsOf(in).kurtosis() == 1.5);
  QVERIFY(momentsOf(in).variance() == 2.0 / 3);
  QVERIFY(momentsOf({}) == CentralMoments{});
  const std::vector<float> constant(100, 0.1F);
  QVERIFY(momentsOf(constant) == (CentralMoments{100, 0.1F, 0, 0, 0}));
  QVERIFY(momentsOf(constant).kurtosis() == 0);
  // One outlier of n equal numbers has the kurtosis n − 2 + 1/(n − 1).
  std::vector<float> outlier(11, 1);
  outlier[4] = 12;
  QVERIFY(close(momentsOf(outlier).kurtosis(), 9.1, 1e-12));
}

void CentralMomentsTest::denormalsCountAsZero() {
  const std::vector<float> in(20, std::numeric_limits<float>::denorm_min());
  // The smallest and the largest number have a part in it too.
  std::vector<float> small = tameNumbers(1000, 1);
  for (float& x : small) x = std::abs(x) * 1e-37F;
  std::vector<float> flushed = small;
  small[7] = 0.9F * std::numeric_limits<float>::min();
  flushed[7] = 0;
  const CentralMoments expected = momentsOf(flushed);
  const KernelMode mode = kernelModeOfRow();
  QVERIFY(centralMoments(in, minMax(in)) == (CentralMoments{20, 0, 0, 0, 0}));
  QVERIFY(centralMoments(small, minMax(small)) == expected);
}

// The bound of the header: n/2 times the error of sums, here of n = 4,099 in 8 lanes, so 513
// roundings of 2^−53 each: under 2^−32 in all. Sums of squares about 0 would keep nothing of it.
void CentralMomentsTest::staysExactFarFromZero() {
  for (const float centre : {0.0F, 1e4F, -1e6F}) {
    const std::vector<float> in = shifted(tameNumbers(4099, 1), centre);
    const CentralMoments found = momentsOf(in);
    const CentralMoments expected = exact(in);
    QVERIFY(close(found.mean, expected.mean, 0x1p-32));
    QVERIFY(close(found.m2, expected.m2, 0x1p-32));
    QVERIFY(close(found.m4, expected.m4, 0x1p-32));
    QVERIFY(close(found.kurtosis(), expected.kurtosis(), 0x1p-31));
  }
}

void CentralMomentsTest::partsAddUp() {
  std::vector<float> in = tameNumbers(1000, 3);
  for (std::size_t i = 0; i < 300; ++i) in[i] = in[i] * 7 + 5;
  CentralMoments sum;
  sum.add({});
  sum.add(momentsOf(std::span(in).first(300)));
  sum.add(momentsOf(std::span(in).subspan(300, 1)));
  sum.add(momentsOf(std::span(in).subspan(301)));
  sum.add({});
  const CentralMoments expected = exact(in);
  QCOMPARE(sum.count, expected.count);
  // A few hundred roundings of terms none of which is a thousand times the sum.
  QVERIFY(close(sum.mean, expected.mean, 1e-11));
  QVERIFY(close(sum.m2, expected.m2, 1e-11));
  QVERIFY(close(sum.m3, expected.m3, 1e-11));
  QVERIFY(close(sum.m4, expected.m4, 1e-11));
}

// The sums of a kernel that adds from left to right differ in their last bits.
void CentralMomentsTest::comparisonSeesAnotherOrder() {
  std::vector<float> in = tameNumbers(4099, 1);
  const CentralMoments found = momentsOf(in);
  std::swap(in[0], in[1]);
  QVERIFY(!(momentsOf(in) == found));
}

QUANTSCOPE_TEST(CentralMomentsTest)
#include "test_central_moments.moc"
