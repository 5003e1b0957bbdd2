#include <QtTest>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernels/codes/magnitude_grid.h"
#include "kernels/codes/magnitude_sums.h"
#include "kernels/kernel_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kMagnitudeLanes = 16;

// The order of the sums is part of their definition.
MagnitudeSums magnitudesByDefinition(std::span<const float> in, std::optional<float> above) {
  MagnitudeSums lanes[kMagnitudeLanes];
  for (std::size_t i = 0; i < in.size(); ++i) {
    const float magnitude = std::abs(in[i]);
    if (!std::isfinite(in[i]) || (above && !(magnitude > *above))) continue;
    ++lanes[i % kMagnitudeLanes].count;
    lanes[i % kMagnitudeLanes].sum += std::isnormal(in[i]) ? double{magnitude} : 0;
  }
  for (std::size_t half = kMagnitudeLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) {
      lanes[i].count += lanes[i + half].count;
      lanes[i].sum += lanes[i + half].sum;
    }
  }
  return lanes[0];
}

}  // namespace

class MagnitudesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsItsTwin_data() { addKernelModes(); }
  void equalsItsTwin();
  void twinSeesAnotherOrder();
  void ternary();
  void binary();
  void constantsComeBack();
  void nothingToMeasure();
  void otherTypesAreRefused();
};

void MagnitudesTest::equalsItsTwin() {
  const std::optional<float> limits[] = {std::nullopt, 0.0F, 0.5F, 1e-40F};
  for (const std::optional<float> above : limits) {
    for (const std::size_t length : kernelLengths()) {
      const std::vector<float> in = hostileNumbers(length, 2, 11);
      const MagnitudeSums expected = magnitudesByDefinition(in, above);
      for (const std::size_t offset : {0, 1, 3}) {
        OffsetArray source(in, offset);
        const KernelMode mode = kernelModeOfRow();
        QVERIFY(magnitudeSums(source.span(), above) == expected);
      }
    }
  }
}

void MagnitudesTest::twinSeesAnotherOrder() {
  const std::vector<float> in = hostileNumbers(4099, 1, 5);
  double sum = 0;
  for (const float x : in) {
    if (std::isnormal(x) && std::abs(x) < 1) sum += std::abs(x);
  }
  std::vector<float> small;
  for (const float x : in) {
    if (std::abs(x) < 1) small.push_back(x);
  }
  QVERIFY(magnitudeSums(small).sum != sum);
}

// By hand: mean|x| = 8 / 5 = 1.6, threshold 1.12, beyond it 2 and −4, whose mean is 3.
void MagnitudesTest::ternary() {
  const std::vector<float> in{0.5F, -0.5F, 1, 2, -4};
  const Grid grid = magnitudeGrid(QuantType::Ternary, in);
  QVERIFY(grid.scale == 3.0F);
  QVERIFY(grid.threshold <= 1.12 && grid.threshold > 1.1199998);
  QCOMPARE(grid.zeroPoint, 0);
}

void MagnitudesTest::binary() {
  const std::vector<float> in{0.5F, -0.5F, 1, 2, -4, std::numeric_limits<float>::infinity()};
  QVERIFY(magnitudeGrid(QuantType::Binary, in).scale == 1.6F);
}

void MagnitudesTest::constantsComeBack() {
  for (const float constant : {0.1F, -3.3333F, 1e38F, 1.2e-38F}) {
    const std::vector<float> in(1003, constant);
    QVERIFY(magnitudeGrid(QuantType::Binary, in).scale == std::abs(constant));
    const Grid ternary = magnitudeGrid(QuantType::Ternary, in);
    QVERIFY(ternary.scale == std::abs(constant) && ternary.threshold < std::abs(constant));
  }
}

void MagnitudesTest::nothingToMeasure() {
  for (const std::vector<float>& in :
       {std::vector<float>(), std::vector<float>(5), std::vector<float>(3, std::nanf(""))}) {
    QVERIFY(magnitudeGrid(QuantType::Ternary, in) == (Grid{0, 0, 0}));
    QVERIFY(magnitudeGrid(QuantType::Binary, in) == (Grid{0, 0, 0}));
  }
}

void MagnitudesTest::otherTypesAreRefused() {
  QVERIFY_THROWS_EXCEPTION(Error, magnitudeGrid(QuantType::Int8, std::vector<float>(2)));
}

QUANTSCOPE_TEST(MagnitudesTest)
#include "test_magnitudes.moc"
