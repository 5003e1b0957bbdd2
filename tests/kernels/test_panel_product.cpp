#include <QtTest>
#include <algorithm>
#include <cmath>

#include "kernels/kernel_fixture.h"
#include "kernels/network/panel_product.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct MatrixProduct {
  MatrixProduct(std::size_t mIn, std::size_t nIn, std::size_t kIn)
      : m(mIn),
        n(nIn),
        k(kIn),
        a(tameNumbers(m * k, 1)),
        b(tameNumbers(k * n, 2)),
        bias(tameNumbers(n, 3)) {}

  template <class MultiplyAdd>
  std::vector<float> byDefinition(const MultiplyAdd& multiplyAdd) const {
    std::vector<float> y(m * n);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t p = 0; p < k; ++p) {
          y[i * n + j] = multiplyAdd(a[i * k + p], b[p * n + j], y[i * n + j]);
        }
      }
    }
    return y;
  }
  std::vector<float> fused() const {
    return byDefinition([](float x, float y, float z) { return std::fma(x, y, z); });
  }
  std::vector<float> plusBias(std::vector<float> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % n];
    return y;
  }

  std::vector<float> panels(bool transposed) const {
    std::vector<float> packed(panelCount(n) * k * kPanelColumns, NAN);
    if (!transposed) {
      packPanels({b.data(), static_cast<std::int64_t>(n), 1}, k, n, 0, panelCount(n),
                 packed.data());
      return packed;
    }
    std::vector<float> turned(b.size());
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) turned[j * k + p] = b[p * n + j];
    }
    packPanels({turned.data(), 1, static_cast<std::int64_t>(k)}, k, n, 0, panelCount(n),
               packed.data());
    return packed;
  }

  // In tiles of so many rows and panels; nothing where anything behind a row was written.
  std::vector<float> actual(bool transposed, std::size_t rows, std::size_t panelsAtOnce,
                            bool biased = false, const ElementBounds& bounds = {}) const {
    constexpr std::size_t kBehind = 3;
    const std::size_t stride = n + kBehind;
    const std::vector<float> packed = panels(transposed);
    std::vector<float> y(m * stride, NAN);
    for (std::size_t row = 0; row < m; row += rows) {
      for (std::size_t panel = 0; panel < panelCount(n); panel += panelsAtOnce) {
        const float* const firstRow = a.data() + row * k;
        multiplyPanels({.a = {.runs = {&firstRow, 1},
                              .runLength = k,
                              .stride = k,
                              .count = std::min(rows, m - row)},
                        .panels = packed.data(),
                        .n = n,
                        .firstPanel = panel,
                        .endPanel = std::min(panel + panelsAtOnce, panelCount(n)),
                        .y = y.data() + row * stride,
                        .yStride = stride,
                        .bias = biased ? bias.data() : nullptr,
                        .bounds = bounds});
      }
    }
    std::vector<float> dense;
    for (auto row = y.begin(); row != y.end(); row += static_cast<std::ptrdiff_t>(stride)) {
      const auto end = row + static_cast<std::ptrdiff_t>(n);
      if (!std::all_of(end, end + kBehind, [](float x) { return std::isnan(x); })) return {};
      dense.insert(dense.end(), row, end);
    }
    return dense;
  }

  std::size_t m, n, k;
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> bias;
};

}  // namespace

class PanelProductTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isItsDefinition_data() { addKernelModes(); }
  void isItsDefinition();
  void tilesGiveTheSameBits_data() { addKernelModes(); }
  void tilesGiveTheSameBits();
  void linesAreRowsOfAnImage_data() { addKernelModes(); }
  void linesAreRowsOfAnImage();
  void boundsHoldForFinishedSums_data() { addKernelModes(); }
  void boundsHoldForFinishedSums();
  void nothingIsAddedUpToZero();
};

void PanelProductTest::isItsDefinition() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t m : {1U, 2U, 3U, 5U, 6U, 7U, 11U, 12U, 13U, 25U}) {
    for (const std::size_t n : {1U, 15U, 16U, 17U, 40U, 64U, 79U}) {
      for (const std::size_t k : {1U, 3U, 128U, 300U, 1600U}) {
        const MatrixProduct problem(m, n, k);
        const std::vector<float> plain = problem.fused();
        const std::vector<float> biased = problem.plusBias(plain);
        const QString row = QString("%1 x %2 x %3").arg(m).arg(n).arg(k);
        for (const bool transposed : {false, true}) {
          const std::size_t all = panelCount(n);
          QVERIFY2(firstDifference(problem.actual(transposed, m, all), plain) == -1,
                   qPrintable(row));
          QVERIFY2(firstDifference(problem.actual(transposed, m, all, true), biased) == -1,
                   qPrintable(row));
        }
      }
    }
  }
}

void PanelProductTest::tilesGiveTheSameBits() {
  const KernelMode mode = kernelModeOfRow();
  const MatrixProduct problem(29, 150, 1700);
  for (const bool biased : {false, true}) {
    const std::vector<float> whole = problem.actual(false, 29, panelCount(150), biased);
    QVERIFY(!whole.empty());
    for (const std::size_t rows : {1U, 4U, 12U}) {
      for (const std::size_t panels : {1U, 2U, 3U}) {
        QCOMPARE(firstDifference(problem.actual(false, rows, panels, biased), whole), -1);
      }
    }
  }
}

// A window of 2 x 2 places of an image that it steps over by two, as against a copy of its rows.
void PanelProductTest::linesAreRowsOfAnImage() {
  const KernelMode mode = kernelModeOfRow();
  constexpr std::size_t kChannels = 250;
  constexpr std::size_t kWidth = 12;
  constexpr std::size_t kPlaces = 5;
  const std::vector<float> image = tameNumbers(9 * kWidth * kChannels, 4);
  for (const std::size_t lines : {2U, 4U}) {
    for (const std::size_t n : {1U, 16U, 50U, 100U}) {
      MatrixProduct problem(lines * kPlaces, n, 4 * kChannels);
      auto to = problem.a.begin();
      for (std::size_t i = 0; i < problem.m; ++i) {
        const std::size_t place = i / kPlaces * 2 * kWidth + i % kPlaces * 2;
        for (const std::size_t line : {place, place + kWidth}) {
          to = std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(line * kChannels),
                           2 * kChannels, to);
        }
      }
      const std::vector<float> packed = problem.panels(false);
      const float* const runs[] = {image.data(), image.data() + kWidth * kChannels};
      std::vector<float> y(problem.m * n);
      multiplyPanels({.a = {.runs = runs,
                            .runLength = 2 * kChannels,
                            .stride = 2 * kChannels,
                            .count = problem.m,
                            .lineRows = kPlaces,
                            .lineStride = 2 * kWidth * kChannels},
                      .panels = packed.data(),
                      .n = n,
                      .firstPanel = 0,
                      .endPanel = panelCount(n),
                      .y = y.data(),
                      .yStride = n});
      QCOMPARE(firstDifference(y, problem.fused()), -1);
    }
  }
}

void PanelProductTest::boundsHoldForFinishedSums() {
  const KernelMode mode = kernelModeOfRow();
  MatrixProduct problem(14, 70, 1600);
  problem.a[3 * problem.k] = NAN;
  const std::vector<float> sums = problem.plusBias(problem.fused());
  for (const ElementBounds bounds : {ElementBounds{.low = 0}, ElementBounds{-0.25F, 0.5F},
                                     ElementBounds{2, -2}, ElementBounds{NAN, 0.125F}}) {
    std::vector<float> expected = sums;
    for (float& y : expected) {
      if (y < bounds.low) y = bounds.low;
      if (y > bounds.high) y = bounds.high;
    }
    QVERIFY(firstDifference(expected, sums) != -1);
    QCOMPARE(firstDifference(problem.actual(false, 14, panelCount(70), true, bounds), expected),
             -1);
  }
}

void PanelProductTest::nothingIsAddedUpToZero() {
  const MatrixProduct problem(3, 20, 0);
  QCOMPARE(problem.actual(false, 3, 2), std::vector<float>(60, 0.0F));
  QCOMPARE(problem.actual(false, 3, 2, true), problem.plusBias(std::vector<float>(60, 0.0F)));
}

QUANTSCOPE_TEST(PanelProductTest)
#include "test_panel_product.moc"
