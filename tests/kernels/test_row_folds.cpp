#include <QtTest>
#include <algorithm>
#include <limits>

#include "kernels/kernel_fixture.h"
#include "kernels/statistics/row_folds.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kFoldedRows = 9;

std::vector<float> largest(const std::vector<float>& rows, const std::vector<std::int64_t>& starts,
                           std::size_t columns) {
  std::vector<float> y(columns, std::numeric_limits<float>::lowest());
  for (const std::int64_t start : starts) {
    for (std::size_t c = 0; c < columns; ++c) {
      const float value = rows[static_cast<std::size_t>(start) + c];
      if (value > y[c]) y[c] = value;
    }
  }
  return y;
}

std::vector<float> sum(const std::vector<float>& rows, const std::vector<std::int64_t>& starts,
                       std::size_t columns) {
  std::vector<float> y(columns, 0.0F);
  for (const std::int64_t start : starts) {
    for (std::size_t c = 0; c < columns; ++c) y[c] += rows[static_cast<std::size_t>(start) + c];
  }
  return y;
}

std::vector<std::int64_t> everySecond(std::size_t columns) {
  std::vector<std::int64_t> starts;
  for (std::size_t row = 0; row < kFoldedRows; row += 2) {
    starts.push_back(static_cast<std::int64_t>(row * columns));
  }
  return starts;
}

}  // namespace

class RowFoldsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void largestIsTheFirstOfEquals_data() { addKernelModes(); }
  void largestIsTheFirstOfEquals();
  void sumsKeepTheirOrder_data() { addKernelModes(); }
  void sumsKeepTheirOrder();
  void noRowsGiveTheStart();
  void theOrderShows();
};

void RowFoldsTest::largestIsTheFirstOfEquals() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t columns : kernelLengths()) {
    std::vector<float> rows = hostileNumbers(kFoldedRows * columns, 3, 1);
    // Zeros of both signs meet in many columns.
    for (std::size_t i = 0; i < rows.size(); i += 3) rows[i] = i % 2 == 0 ? 0.0F : -0.0F;
    const std::vector<std::int64_t> starts = everySecond(columns);
    std::vector<float> y(columns);
    largestOfRows(rows.data(), starts, y);
    QCOMPARE(firstDifference(y, largest(rows, starts, columns)), -1);
  }
}

void RowFoldsTest::sumsKeepTheirOrder() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t columns : kernelLengths()) {
    const std::vector<float> rows = tameNumbers(kFoldedRows * columns, 1);
    const std::vector<std::int64_t> starts = everySecond(columns);
    std::vector<float> y(columns);
    sumOfRows(rows.data(), starts, y);
    QCOMPARE(firstDifference(y, sum(rows, starts, columns)), -1);
  }
}

void RowFoldsTest::noRowsGiveTheStart() {
  std::vector<float> y(21, 1.0F);
  largestOfRows(nullptr, {}, y);
  QVERIFY(std::ranges::all_of(
      y, [](float value) { return value == std::numeric_limits<float>::lowest(); }));
  sumOfRows(nullptr, {}, y);
  QVERIFY(std::ranges::all_of(y, [](float value) { return value == 0; }));
}

// Another order gives other bits, so that the tests above can tell them apart.
void RowFoldsTest::theOrderShows() {
  const std::vector<float> rows = tameNumbers(kFoldedRows * 64, 1);
  std::vector<std::int64_t> starts = everySecond(64);
  std::vector<float> forwards(64);
  std::vector<float> backwards(64);
  sumOfRows(rows.data(), starts, forwards);
  std::ranges::reverse(starts);
  sumOfRows(rows.data(), starts, backwards);
  QVERIFY(firstDifference(forwards, backwards) >= 0);
}

QUANTSCOPE_TEST(RowFoldsTest)
#include "test_row_folds.moc"
