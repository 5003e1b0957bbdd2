#include <QtTest>
#include <cmath>

#include "kernels/kernel_fixture.h"
#include "kernels/network/tap_products.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kTaps = 37;

struct TapProblem {
  TapProblem(std::size_t filterCount, std::size_t placeCount)
      : places(placeCount),
        line(tameNumbers(kTaps + places, 1)),
        weights(tameNumbers(kTaps * filterCount, 2)),
        bias(tameNumbers(filterCount, 3)) {
    // Neighbouring taps overlap and are not aligned, as in a convolution.
    for (std::size_t j = 0; j < kTaps; ++j) taps.push_back(line.data() + (j * 7) % kTaps);
  }

  TapFilters filters(bool biased) const {
    return {weights.data(), biased ? bias.data() : nullptr, bias.size()};
  }

  std::vector<float> expected(bool biased) const {
    std::vector<float> y;
    for (std::size_t f = 0; f < bias.size(); ++f) {
      for (std::size_t p = 0; p < places; ++p) {
        float sum = 0;
        for (std::size_t j = 0; j < kTaps; ++j) {
          sum = std::fma(taps[j][p], weights[j * bias.size() + f], sum);
        }
        y.push_back(biased ? sum + bias[f] : sum);
      }
    }
    return y;
  }

  std::vector<float> actual(bool biased) const {
    std::vector<float> y(bias.size() * places);
    multiplyTaps(taps, filters(biased), places, y.data());
    return y;
  }

  std::size_t places;
  std::vector<float> line;
  std::vector<float> weights;
  std::vector<float> bias;
  std::vector<const float*> taps;
};

}  // namespace

class TapProductsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isItsDefinition_data() { addKernelModes(); }
  void isItsDefinition();
  void theOrderShows();
};

void TapProductsTest::isItsDefinition() {
  const KernelMode mode = kernelModeOfRow();
  for (std::size_t filters = 1; filters <= 11; ++filters) {
    for (const std::size_t vectors : {1U, 2U, 3U, 5U, 7U, 9U, 13U, 18U}) {
      const TapProblem problem(filters, vectors * kTapPlaces);
      for (const bool biased : {false, true}) {
        QCOMPARE(firstDifference(problem.actual(biased), problem.expected(biased)), -1);
      }
    }
  }
}

// Taps in another order give other bits, so that the test above can tell them apart.
void TapProductsTest::theOrderShows() {
  TapProblem problem(1, 16);
  const std::vector<float> forwards = problem.actual(false);
  std::swap(problem.taps.front(), problem.taps.back());
  std::swap(problem.weights.front(), problem.weights.back());
  QVERIFY(firstDifference(forwards, problem.actual(false)) >= 0);
}

QUANTSCOPE_TEST(TapProductsTest)
#include "test_tap_products.moc"
