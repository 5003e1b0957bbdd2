#include <QtTest>
#include <algorithm>
#include <limits>

#include "support/test_main.h"
#include "training/loss_curve.h"
#include "training/sample_variation.h"

using namespace quantscope;

namespace {

// Rises from left to right in every colour.
Tensor ramp(const Shape& shape, std::int64_t columnStride) {
  Tensor picture(ElementType::Float32, shape);
  const std::span<float> values = picture.mutableValues<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>((static_cast<std::int64_t>(i) / columnStride) % 32);
  }
  return picture;
}

std::vector<float> listOf(const Tensor& tensor) {
  const Tensor plain = toLayout(tensor, Layout::Plain);
  const std::span<const float> values = plain.values<float>();
  return {values.begin(), values.end()};
}

}  // namespace

/// Variations of few samples, and the loss that tells the states of a training apart.
class SampleVariationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void picturesAreMoved_data();
  void picturesAreMoved();
  void othersStay();
  void lossesAreSmoothed();
};

void SampleVariationTest::picturesAreMoved_data() {
  QTest::addColumn<bool>("planesFirst");
  QTest::newRow("planes first") << true;
  QTest::newRow("colours last") << false;
}

void SampleVariationTest::picturesAreMoved() {
  QFETCH(bool, planesFirst);
  const Tensor picture = planesFirst ? ramp(Shape{1, 3, 24, 32}, 1) : ramp(Shape{1, 24, 32, 3}, 3);
  const std::vector<float> before = listOf(picture);
  bool rises = false;
  bool falls = false;
  bool moved = false;
  for (std::uint64_t key = 0; key < 20; ++key) {
    const Tensor varied = shiftedPicture(picture, CounterRandom(key));
    QVERIFY(varied.shape() == picture.shape());
    const std::vector<float> values = listOf(varied);
    moved = moved || values != before;
    QVERIFY(values == listOf(shiftedPicture(picture, CounterRandom(key))));
    QVERIFY(std::ranges::min(values) >= 0 && std::ranges::max(values) <= 31);
    // The first row, in its first colour, is still a ramp, one way or the other.
    std::vector<float> row;
    for (std::size_t x = 0; x < 32; ++x) row.push_back(values[planesFirst ? x : 3 * x]);
    const bool up = std::ranges::is_sorted(row);
    QVERIFY(up || std::ranges::is_sorted(row, std::greater()));
    (up ? rises : falls) = true;
  }
  QVERIFY(rises && falls && moved);
}

void SampleVariationTest::othersStay() {
  for (const Shape& shape : {Shape{1, 3, 8, 8}, Shape{1, 64, 32, 32}, Shape{32, 32}}) {
    const Tensor tensor = ramp(shape, 1);
    QVERIFY(listOf(shiftedPicture(tensor, CounterRandom(1))) == listOf(tensor));
  }
}

// The last three points of the phase, without its first.
void SampleVariationTest::lossesAreSmoothed() {
  std::vector<TrainingPoint> curve{{"block 1 of 2", 0, 0, 100}, {"block 1 of 2", 5, 0, 50}};
  QVERIFY(std::isinf(smoothedLoss(curve, "network")));
  curve.push_back({"network", 0, 0, 9});
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double expected[] = {kNone, kNone, 4, 3};
  const double losses[] = {4, 2, 6, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    QVERIFY(i > 2 || std::isinf(smoothedLoss(curve, "network")));
    curve.push_back({"network", 5 * (i + 1), 0, losses[i]});
    QVERIFY(smoothedLoss(curve, "network") == expected[i]);
  }
}

QUANTSCOPE_TEST(SampleVariationTest)
#include "test_sample_variation.moc"
