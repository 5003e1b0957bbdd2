#include <QtTest>
#include <cmath>

#include "hwy/highway.h"
#include "kernels/kernel_fixture.h"
#include "kernels/network/winograd.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Matrices of the header, row by row; absolute values of them bound the error.
const std::vector<double> kFilters{1, 0, 0, 0.5, 0.5, 0.5, 0.5, -0.5, 0.5, 0, 0, 1};
const std::vector<double> kInputs{1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1};
const std::vector<double> kOutputs{1, 1, 1, 0, 0, 1, -1, -1};

std::vector<double> absolute(std::vector<double> x) {
  for (double& element : x) element = std::abs(element);
  return x;
}

// m · x · mᵀ for x [n, n] and m [.., n].
std::vector<double> transform(const std::vector<double>& m, const std::vector<double>& x,
                              std::size_t n) {
  const std::size_t rows = m.size() / n;
  std::vector<double> y(rows * rows);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t p = 0; p < n * n; ++p) {
      y[i] += m[i / rows * n + p / n] * x[p] * m[i % rows * n + p % n];
    }
  }
  return y;
}

/// One tile: inputs [16, channels], weights [filters / 16, channels, 9, 16], a bias.
struct WinogradTile {
  WinogradTile(std::size_t channelsIn, std::size_t filtersIn)
      : channels(channelsIn),
        filters(filtersIn),
        x(tameNumbers(kWinogradElements * channels, 1)),
        weights(tameNumbers(9 * channels * filters, 2)),
        bias(tameNumbers(filters, 3)) {}

  // y [4, filters]; `finite` as the kernel says.
  std::vector<float> outputs(bool biased, const ElementBounds& bounds, bool* finite) const {
    const std::size_t panel = channels * 16;
    std::vector<float> u(filters / 16 * kWinogradElements * panel);
    for (std::size_t p = 0; p < filters / 16; ++p) {
      winogradFilters(weights.data() + p * kWinogradTaps * panel, channels,
                      u.data() + p * kWinogradElements * panel, panel);
    }
    WinogradInputs places;
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = x.data() + i * channels;
    std::vector<float> v(kWinogradElements * channels);
    winogradInputs({&places, 1}, channels, v.data(), channels);
    std::vector<float> m(kWinogradElements * filters);
    for (std::size_t e = 0; e < kWinogradElements; ++e) {
      for (std::size_t f = 0; f < filters; ++f) {
        float& sum = m[e * filters + f];
        for (std::size_t c = 0; c < channels; ++c) {
          const std::size_t at = (f / 16 * kWinogradElements + e) * panel + c * 16 + f % 16;
          sum = std::fma(v[e * channels + c], u[at], sum);
        }
      }
    }
    std::vector<float> y(4 * filters, NAN);
    const WinogradOutputs targets{y.data(), y.data() + filters, y.data() + 2 * filters,
                                  y.data() + 3 * filters};
    *finite = winogradOutputs({.products = m.data(),
                               .stride = m.size(),
                               .filters = filters,
                               .bias = biased ? bias.data() : nullptr,
                               .bounds = bounds},
                              {&targets, 1});
    return y;
  }

  std::vector<double> inputsOf(std::size_t c) const {
    std::vector<double> plane;
    for (std::size_t i = 0; i < kWinogradElements; ++i) plane.push_back(x[i * channels + c]);
    return plane;
  }
  std::vector<double> weightsOf(std::size_t c, std::size_t f) const {
    std::vector<double> plane;
    for (std::size_t tap = 0; tap < kWinogradTaps; ++tap) {
      plane.push_back(weights[((f / 16 * channels + c) * kWinogradTaps + tap) * 16 + f % 16]);
    }
    return plane;
  }

  // The 2 x 2 outputs of a filter by the definition.
  std::vector<double> defined(std::size_t f) const {
    std::vector<double> y(4, bias[f]);
    for (std::size_t c = 0; c < channels; ++c) {
      const auto in = inputsOf(c);
      const auto w = weightsOf(c, f);
      for (std::size_t i = 0; i < y.size(); ++i) {
        for (std::size_t tap = 0; tap < w.size(); ++tap) {
          y[i] += in[(i / 2 + tap / 3) * 4 + i % 2 + tap % 3] * w[tap];
        }
      }
    }
    return y;
  }

  // Each element of a transform of three numbers takes two roundings per direction, that of two
  // numbers one, a sum of C products C, the bias one: with the sums of all magnitudes, the error is
  // at most (C + 11) · 2⁻²⁴ of them, to first order (Higham, Accuracy and Stability, 3.1).
  std::vector<double> errorBound(std::size_t f) const {
    std::vector<double> m(kWinogradElements);
    for (std::size_t c = 0; c < channels; ++c) {
      const auto v = transform(absolute(kInputs), absolute(inputsOf(c)), 4);
      const auto u = transform(absolute(kFilters), absolute(weightsOf(c, f)), 3);
      for (std::size_t e = 0; e < m.size(); ++e) m[e] += u[e] * v[e];
    }
    std::vector<double> bound = transform(absolute(kOutputs), m, 4);
    for (double& b : bound) {
      b = 1.001 * (static_cast<double>(channels) + 11) * 0x1p-24 * (b + std::abs(bias[f]));
    }
    return bound;
  }

  std::size_t channels, filters;
  std::vector<float> x, weights, bias;
};

}  // namespace

class WinogradTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void transformsAreTheirMatrices();
  void isItsDefinition_data() { addKernelModes(); }
  void isItsDefinition();
  void targetsGiveTheSameBits();
  void boundsHoldForFinishedSums_data() { addKernelModes(); }
  void boundsHoldForFinishedSums();
  void onlyFiniteSumsAreSaidToBe_data() { addKernelModes(); }
  void onlyFiniteSumsAreSaidToBe();
  void outputsOutsideAreNotWritten();
};

void WinogradTest::transformsAreTheirMatrices() {
  const WinogradTile tile(16, 16);
  std::vector<float> u(kWinogradElements * 16);
  winogradFilters(tile.weights.data(), 1, u.data(), 16);
  WinogradInputs places;
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = tile.x.data() + i * 16;
  std::vector<float> v(kWinogradElements * 16);
  winogradInputs({&places, 1}, 16, v.data(), 16);
  for (std::size_t lane = 0; lane < 16; ++lane) {
    const auto expectedU = transform(kFilters, tile.weightsOf(0, lane), 3);
    const auto expectedV = transform(kInputs, tile.inputsOf(lane), 4);
    for (std::size_t e = 0; e < kWinogradElements; ++e) {
      QVERIFY(std::abs(u[e * 16 + lane] - expectedU[e]) <= 9 * 4 * 0x1p-24);
      QVERIFY(std::abs(v[e * 16 + lane] - expectedV[e]) <= 4 * 2 * 0x1p-24);
    }
  }
}

void WinogradTest::isItsDefinition() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t channels : {16U, 17U, 30U, 48U}) {
    WinogradTile tile(channels, 32);
    for (const float outlier : {0.0F, 1e4F}) {
      // Of all outputs, only the first sees it.
      tile.x[channels - 1] += outlier;
      bool finite = false;
      const std::vector<float> y = tile.outputs(true, {}, &finite);
      QVERIFY(finite);
      for (std::size_t f = 0; f < tile.filters; ++f) {
        const auto expected = tile.defined(f);
        const auto bound = tile.errorBound(f);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          QVERIFY(std::abs(y[i * tile.filters + f] - expected[i]) <= bound[i]);
        }
      }
    }
  }
}

void WinogradTest::targetsGiveTheSameBits() {
  const WinogradTile tile(50, 48);
  bool finite = false;
  const std::vector<float> widest = tile.outputs(true, {}, &finite);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const KernelMode mode(target, false);
    QCOMPARE(firstDifference(tile.outputs(true, {}, &finite), widest), -1);
  }
}

void WinogradTest::boundsHoldForFinishedSums() {
  const KernelMode mode = kernelModeOfRow();
  const WinogradTile tile(20, 32);
  bool finite = false;
  const std::vector<float> sums = tile.outputs(false, {}, &finite);
  for (const ElementBounds bounds :
       {ElementBounds{.low = 0}, ElementBounds{-0.25F, 0.5F}, ElementBounds{2, -2}}) {
    std::vector<float> expected = sums;
    for (float& y : expected) {
      if (y < bounds.low) y = bounds.low;
      if (y > bounds.high) y = bounds.high;
    }
    QVERIFY(firstDifference(expected, sums) != -1);
    QCOMPARE(firstDifference(tile.outputs(false, bounds, &finite), expected), -1);
  }
}

void WinogradTest::onlyFiniteSumsAreSaidToBe() {
  const KernelMode mode = kernelModeOfRow();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float odd : {NAN, kInfinity, -kInfinity, std::numeric_limits<float>::max()}) {
    for (std::size_t place = 0; place < kWinogradElements; ++place) {
      WinogradTile tile(16, 16);
      tile.x[place * 16 + place] = odd;
      if (std::isfinite(odd)) tile.x[(place ^ 8U) * 16 + place] = -odd;  // their difference
      bool finite = true;
      // Bounds do not hide it.
      tile.outputs(true, {-1, 1}, &finite);
      QVERIFY(!finite);
    }
  }
  WinogradTile tile(16, 16);
  tile.bias[7] = kInfinity;
  bool finite = true;
  tile.outputs(true, {}, &finite);
  QVERIFY(!finite);
}

void WinogradTest::outputsOutsideAreNotWritten() {
  const std::vector<float> m = tameNumbers(kWinogradElements * 16, 5);
  for (std::size_t outside = 0; outside < 4; ++outside) {
    std::vector<float> y(4 * 16, 7);
    WinogradOutputs targets{y.data(), y.data() + 16, y.data() + 32, y.data() + 48};
    targets[outside] = nullptr;
    QVERIFY(winogradOutputs(
        {.products = m.data(), .stride = m.size(), .filters = 16, .bias = nullptr, .bounds = {}},
        {&targets, 1}));
    for (std::size_t i = 0; i < y.size(); ++i) QCOMPARE(y[i] == 7, i / 16 == outside);
  }
}

QUANTSCOPE_TEST(WinogradTest)
#include "test_winograd.moc"
