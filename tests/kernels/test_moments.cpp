#include <QtTest>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/kernel_fixture.h"
#include "kernels/moments.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

Moments ofOne(float element) {
  if (!std::isfinite(element)) return {0, 1};
  const double x = std::fpclassify(element) == FP_SUBNORMAL ? 0.0 : element;
  return {1, 0, x, x * x};
}

// The definition, lane by lane.
Moments twin(std::span<const float> in) {
  std::array<Moments, 16> lanes{};
  for (std::size_t i = 0; i < in.size(); ++i) lanes[i % lanes.size()].add(ofOne(in[i]));
  for (const std::size_t half : {8, 4, 2, 1}) {
    for (std::size_t i = 0; i < half; ++i) lanes[i].add(lanes[i + half]);
  }
  return lanes[0];
}

}  // namespace

class MomentsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsItsTwin_data() { addKernelModes(); }
  void equalsItsTwin();
  void knownSums();
  void denormalsCountAsZero_data() { addKernelModes(); }
  void denormalsCountAsZero();
  void comparisonSeesAnotherOrder();
};

void MomentsTest::equalsItsTwin() {
  for (const std::size_t length : kernelLengths()) {
    for (const auto& in : {hostileNumbers(length, 3.0F, 1), tameNumbers(length, 1)}) {
      const Moments expected = twin(in);
      for (const std::size_t offset : {0, 1, 3}) {
        OffsetArray source(in, offset);
        const KernelMode mode = kernelModeOfRow();
        QVERIFY(moments(source.span()) == expected);
      }
    }
  }
}

void MomentsTest::knownSums() {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> in{1, 2, std::nanf(""), -3, infinity, -infinity};
  QVERIFY(moments(in) == (Moments{3, 3, 0, 14}));
  QVERIFY(moments({}) == Moments{});
}

void MomentsTest::denormalsCountAsZero() {
  const std::vector<float> in(20, std::numeric_limits<float>::denorm_min());
  const KernelMode mode = kernelModeOfRow();
  QVERIFY(moments(in) == (Moments{20, 0, 0, 0}));
}

// The sums of a kernel that adds from left to right differ in their last bits.
void MomentsTest::comparisonSeesAnotherOrder() {
  const std::vector<float> in = tameNumbers(4099, 1);
  Moments leftToRight;
  for (const float x : in) leftToRight.add(ofOne(x));
  QVERIFY(!(moments(in) == leftToRight));
}

QUANTSCOPE_TEST(MomentsTest)
#include "test_moments.moc"
