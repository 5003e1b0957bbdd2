#include <QtTest>
#include <algorithm>

#include "base/error.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/guarded_array.h"
#include "kernels/kernel_fixture.h"
#include "kernels/streaming.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Fake quantization of arrays so large that results go past the caches: the same bits as of small
/// pieces, which do not.
class LargeArraysTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void perTensor_data() { addKernelModes(); }
  void perTensor();
  void perChannel_data() { addKernelModes(); }
  void perChannel();
  void perGroup_data() { addKernelModes(); }
  void perGroup();
  void comparisonSeesAShift();
  void oneBadGridAmongMany_data();
  void oneBadGridAmongMany();
};

namespace {

constexpr std::size_t kLarge = kStreamedBytes / sizeof(float);
constexpr std::size_t kPiece = 1000;

const std::vector<float>& largeArray() {
  static const std::vector<float> made = hostileNumbers(kLarge + 8 * kPiece, 5, 11);
  return made;
}

Grid gridOf(std::size_t i) {
  return {0.03F + 0.001F * static_cast<float>(i % 17), static_cast<std::int32_t>(i % 5), 0.5F};
}

// Quantizes in pieces that lie within one grid.
std::vector<float> inPieces(std::span<const float> in, const Codes& codes, std::size_t run,
                            const Grids& grids) {
  std::vector<float> out(in.size());
  for (std::size_t first = 0; first < in.size();) {
    const std::size_t count = std::min({kPiece, run - first % run, in.size() - first});
    const auto piece = std::span(out).subspan(first, count);
    fakeQuantize(in.subspan(first, count), piece, codes, grids[first / run % grids.size()]);
    first += count;
  }
  return out;
}

Grids manyGrids(std::size_t count) {
  Grids grids;
  for (std::size_t i = 0; i < count; ++i) grids.push_back(gridOf(i));
  return grids;
}

}  // namespace

void LargeArraysTest::perTensor() {
  const std::span<const float> in = std::span(largeArray()).first(kLarge + 37);
  for (const QuantType type : {QuantType::Int8, QuantType::Float8E4M3, QuantType::Float16,
                               QuantType::BFloat16, QuantType::Ternary}) {
    const Codes codes = Codes::of(type);
    const KernelMode mode = kernelModeOfRow();
    const std::vector<float> expected = inPieces(in, codes, in.size(), {gridOf(3)});
    GuardedArray<float> out(in.size(), 5);
    fakeQuantize(in, out.span(), codes, gridOf(3));
    QCOMPARE(firstDifference(out.span(), expected), -1);
    QVERIFY(out.guardsHold());
  }
}

void LargeArraysTest::perChannel() {
  // Long odd runs, whole lines, short runs, runs of a vector, and channels last.
  const ChannelLayout layouts[] = {{1, 51, 20'563}, {64, 32, 512},  {512, 42, 49},
                                   {4096, 16, 16},  {8192, 128, 1}, {10'811, 97, 1}};
  const Codes codes = Codes::of(QuantType::Int8);
  for (const ChannelLayout& layout : layouts) {
    const std::span<const float> in = std::span(largeArray()).first(layout.elementCount());
    const Grids grids = manyGrids(layout.channels);
    const KernelMode mode = kernelModeOfRow();
    const std::vector<float> expected = inPieces(in, codes, layout.inner, grids);
    for (const std::size_t offset : {0, 3}) {
      GuardedArray<float> out(in.size(), offset);
      fakeQuantizePerChannel(in, out.span(), layout, codes, grids);
      QCOMPARE(firstDifference(out.span(), expected), -1);
      QVERIFY(out.guardsHold());
    }
  }
}

// Rows of whole cache lines and of others; short groups, long ones, and a last one of every length.
void LargeArraysTest::perGroup() {
  const Codes codes = Codes::of(QuantType::Int4);
  for (const ChannelLayout& layout :
       {ChannelLayout{256, 4096, 1}, ChannelLayout{256, 4107, 1}, ChannelLayout{100, 10'501, 1},
        ChannelLayout{1, kLarge + 7, 1}}) {
    const std::span<const float> in = std::span(largeArray()).first(layout.elementCount());
    for (const std::size_t size : {16, 32, 48, 5008}) {
      const std::size_t groups = groupsAlong(layout, size);
      const Grids grids = manyGrids(layout.outer * groups);
      std::vector<float> expected(in.size());
      GuardedArray<float> out(in.size(), 0);
      const KernelMode mode = kernelModeOfRow();
      for (std::size_t o = 0; o < layout.outer; ++o) {
        for (std::size_t group = 0; group < groups; ++group) {
          const std::size_t first = o * layout.channels + group * size;
          const std::size_t count = std::min(size, layout.channels - group * size);
          fakeQuantize(in.subspan(first, count), std::span(expected).subspan(first, count), codes,
                       grids[o * groups + group]);
        }
      }
      fakeQuantizePerGroup(in, out.span(), layout, size, codes, grids);
      QCOMPARE(firstDifference(out.span(), expected), -1);
      QVERIFY(out.guardsHold());
    }
  }
}

void LargeArraysTest::comparisonSeesAShift() {
  const std::span<const float> in = std::span(largeArray()).first(kLarge);
  std::vector<float> out(in.size());
  fakeQuantize(in, out, Codes{}, gridOf(3));
  Grids shifted{gridOf(3)};
  ++shifted[0].zeroPoint;
  QVERIFY(firstDifference(out, inPieces(in, Codes{}, in.size(), shifted)) >= 0);
}

void LargeArraysTest::oneBadGridAmongMany_data() {
  QTest::addColumn<int>("type");
  QTest::addColumn<float>("scale");
  QTest::addColumn<int>("zeroPoint");
  QTest::addColumn<float>("threshold");
  const auto row = [](const char* name, QuantType type, float scale, int zeroPoint,
                      float threshold) {
    QTest::newRow(name) << static_cast<int>(type) << scale << zeroPoint << threshold;
  };
  row("zero scale", QuantType::Int8, 0, 0, 0);
  row("minus zero scale", QuantType::Int8, -0.0F, 0, 0);
  row("negative scale", QuantType::Float8E5M2, -1, 0, 0);
  row("NaN scale", QuantType::Int8, std::nanf(""), 0, 0);
  row("negative NaN scale", QuantType::Int8, -std::nanf(""), 0, 0);
  row("far zero point below", QuantType::Int8, 1, -(1 << 24), 0);
  row("far zero point above", QuantType::Int8, 1, 1 << 24, 0);
  row("negative ternary scale", QuantType::Ternary, -1, 0, 0);
  row("infinite threshold", QuantType::Ternary, 1, 0, std::numeric_limits<float>::infinity());
  row("negative threshold", QuantType::Ternary, 1, 0, -1);
}

// Anywhere among them, and beside −0, which sign codes take as a scale or a threshold.
void LargeArraysTest::oneBadGridAmongMany() {
  QFETCH(int, type);
  QFETCH(float, scale);
  QFETCH(int, zeroPoint);
  QFETCH(float, threshold);
  const Codes codes = Codes::of(static_cast<QuantType>(type));
  const std::vector<float> in(100 * 32);
  std::vector<float> out(in.size());
  for (const std::size_t bad : {0, 5, 31, 95, 97, 99}) {
    Grids grids = manyGrids(100);
    if (isSignCode(codes.type)) grids[50] = {-0.0F, 0, -0.0F};
    fakeQuantizePerGroup(in, out, {1, in.size(), 1}, 32, codes, grids);
    grids[bad] = {scale, zeroPoint, threshold};
    QVERIFY_THROWS_EXCEPTION(Error,
                             fakeQuantizePerGroup(in, out, {1, in.size(), 1}, 32, codes, grids));
  }
}

QUANTSCOPE_TEST(LargeArraysTest)
#include "test_large_arrays.moc"
