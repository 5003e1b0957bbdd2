#include <QtTest>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/kernel_fixture.h"
#include "kernels/quantized_arrays.h"
#include "kernels/type_twins.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Scales whose products are denormal, or overflow, are among those of FP8.
const std::vector<TypeOnGrid>& roundedTypes() {
  static const std::vector<TypeOnGrid> all{
      {QuantType::Float16, {}},
      {QuantType::BFloat16, {}},
      {QuantType::Float8E4M3, {1, 0, 0}},
      {QuantType::Float8E4M3, {0.037F, 0, 0}},
      {QuantType::Float8E4M3, {Limits::min(), 0, 0}},
      {QuantType::Float8E5M2, {0.37F, 0, 0}},
      {QuantType::Float8E5M2, {1.7e-38F, 0, 0}},
      {QuantType::Float8E5M2, {1e35F, 0, 0}},
      {QuantType::Int16, {0.01F, 0, 0}},
      {QuantType::UInt4, {0.5F, 3, 0}},
      {QuantType::Int2, {3.0F, 0, 0}},
      {QuantType::Ternary, {0.8F, 0, 0.4F}},
      {QuantType::Ternary, {1e-40F, 0, 2e-40F}},
      {QuantType::Binary, {0.7F, 0, 0}},
      {QuantType::Binary, {0, 0, 0}},
  };
  return all;
}

void addFloatFormats() {
  QTest::addColumn<QuantType>("type");
  for (const QuantType type :
       {QuantType::Float16, QuantType::BFloat16, QuantType::Float8E4M3, QuantType::Float8E5M2}) {
    QTest::addRow("%s", name(type).data()) << type;
  }
}

// The elements by themselves, each with the grid that `gridOf` gives its channel and neighbours.
template <class GridOf>
std::vector<float> elementByElement(std::span<const float> in, const ChannelLayout& layout,
                                    const Codes& codes, const GridOf& gridOf) {
  std::vector<float> out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t inner = i % layout.inner;
    const std::size_t channel = i / layout.inner % layout.channels;
    const std::size_t outer = i / layout.inner / layout.channels;
    out.push_back(typeTwin(in[i], codes, gridOf(outer, channel, inner)));
  }
  return out;
}

const std::vector<ChannelLayout>& layouts() {
  static const std::vector<ChannelLayout> all{
      {1, 1, 1},  {3, 5, 1},  {2, 64, 1}, {2, 67, 1}, {4, 33, 1},   {1, 7, 9},  {3, 4, 31},
      {2, 3, 32}, {2, 5, 77}, {0, 3, 4},  {2, 3, 0},  {1, 3000, 1}, {2, 700, 3}};
  return all;
}

}  // namespace

/// Fake quantization to every type and at every granularity.
class FakeQuantizeTypesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyCodeStays_data() { addFloatFormats(); }
  void everyCodeStays();
  void everyTieGoesToEven_data() { addFloatFormats(); }
  void everyTieGoesToEven();
  void everyTieOfInt8();
  void equalsItsTwin_data() { addKernelModes(); }
  void equalsItsTwin();
  void perChannelEqualsItsTwin_data() { addKernelModes(); }
  void perChannelEqualsItsTwin();
  void perGroupEqualsItsTwin_data() { addKernelModes(); }
  void perGroupEqualsItsTwin();
  void singleNumbers_data();
  void singleNumbers();
  void float32IsLeftAlone();
  void comparisonSeesWrongRounding_data() { addFloatFormats(); }
  void comparisonSeesWrongRounding();
  void refusals();
};

void FakeQuantizeTypesTest::everyCodeStays() {
  QFETCH(QuantType, type);
  std::vector<float> numbers;
  const unsigned codes = 1U << bitWidth(type);
  for (unsigned code = 0; code < codes; ++code) {
    const double number = decoded(type, code);
    // FP8 saturates; a NaN's bits are the test of its own.
    if (std::isnan(number) || (std::isinf(number) && bitWidth(type) == 8)) continue;
    numbers.push_back(static_cast<float>(number));
  }
  QVERIFY(numbers.size() > codes * 3 / 4);
  QCOMPARE(firstDifference(rounded(numbers, Codes::of(type)), numbers), -1);
}

void FakeQuantizeTypesTest::everyTieGoesToEven() {
  QFETCH(QuantType, type);
  const std::vector<double>& table = numbersOf(type);
  std::vector<float> ties;
  std::vector<float> expected;
  for (std::size_t code = 0; code + 1 < table.size(); ++code) {
    const auto tie = static_cast<float>((table[code] + table[code + 1]) / 2);
    const auto below = static_cast<float>(table[code]);
    const auto above = static_cast<float>(table[code + 1]);
    for (const float x : {tie, std::nextafterf(tie, 0), std::nextafterf(tie, Limits::max())}) {
      const bool up = x > tie || (x == tie && code % 2 == 1);
      ties.insert(ties.end(), {x, -x});
      expected.insert(expected.end(), {up ? above : below, up ? -above : -below});
    }
  }
  QCOMPARE(firstDifference(rounded(ties, Codes::of(type)), expected), -1);
}

void FakeQuantizeTypesTest::everyTieOfInt8() {
  for (int i = 0; i < 1000; ++i) {
    const float scale = std::ldexp(1 + static_cast<float>(i) / 1000, i % 60 - 30);
    const Grid grid{scale, i % 7 - 3, 0};
    std::vector<float> ties;
    for (int code = -140; code <= 140; ++code) {
      ties.push_back((static_cast<float>(code) + 0.5F) * scale);
    }
    const Codes codes = Codes::of(QuantType::Int8);
    QCOMPARE(
        firstDifference(rounded(ties, Codes::of(QuantType::Int8), grid), mapped(ties, codes, grid)),
        -1);
  }
}

void FakeQuantizeTypesTest::equalsItsTwin() {
  for (const TypeOnGrid& entry : roundedTypes()) {
    const Codes codes = Codes::of(entry.type);
    for (const std::size_t length : kernelLengths()) {
      const std::vector<float> in = hardNumbers(codes, entry.grid, length);
      const std::vector<float> expected = mapped(in, codes, entry.grid);
      for (const std::size_t offset : kOffsets) {
        OffsetArray source(in, offset);
        OffsetArray target(std::vector<float>(length, -1.0F), offset / 2);
        const KernelMode mode = kernelModeOfRow();
        fakeQuantize(source.span(), target.span(), codes, entry.grid);
        const std::ptrdiff_t difference = firstDifference(target.span(), expected);
        QVERIFY2(difference == -1, name(entry.type).data());
      }
    }
  }
}

void FakeQuantizeTypesTest::perChannelEqualsItsTwin() {
  for (const TypeOnGrid& entry : roundedTypes()) {
    const Codes codes = Codes::of(entry.type);
    for (const ChannelLayout& layout : layouts()) {
      Grids grids;
      for (std::size_t c = 0; c < layout.channels; ++c) grids.push_back(variedGrid(entry.grid, c));
      const std::vector<float> in = hardNumbers(codes, entry.grid, layout.elementCount());
      const std::vector<float> expected = elementByElement(
          in, layout, codes,
          [&](std::size_t, std::size_t channel, std::size_t) { return grids[channel]; });
      OffsetArray values(in, 1);
      const KernelMode mode = kernelModeOfRow();
      fakeQuantizePerChannel(values.span(), values.span(), layout, codes, grids);
      QVERIFY2(firstDifference(values.span(), expected) == -1, name(entry.type).data());
    }
  }
}

void FakeQuantizeTypesTest::perGroupEqualsItsTwin() {
  for (const TypeOnGrid& entry : roundedTypes()) {
    const Codes codes = Codes::of(entry.type);
    for (const ChannelLayout& layout : layouts()) {
      for (const std::size_t size : {1, 2, 5, 16, 32, 48, 5000}) {
        const std::size_t groups = (layout.channels + size - 1) / size;
        Grids grids;
        for (std::size_t i = 0; i < layout.outer * groups * layout.inner; ++i) {
          grids.push_back(variedGrid(entry.grid, i));
        }
        const std::vector<float> in = hardNumbers(codes, entry.grid, layout.elementCount());
        const std::vector<float> expected =
            elementByElement(in, layout, codes, [&](std::size_t o, std::size_t c, std::size_t i) {
              return grids[(o * groups + c / size) * layout.inner + i];
            });
        OffsetArray values(in, 1);
        const KernelMode mode = kernelModeOfRow();
        fakeQuantizePerGroup(values.span(), values.span(), layout, size, codes, grids);
        QVERIFY2(firstDifference(values.span(), expected) == -1, name(entry.type).data());
      }
    }
  }
}

void FakeQuantizeTypesTest::singleNumbers_data() {
  QTest::addColumn<QuantType>("type");
  QTest::addColumn<float>("x");
  QTest::addColumn<float>("scale");
  QTest::addColumn<float>("expected");
  const auto row = [](const char* what, QuantType type, float x, float scale, float expected) {
    QTest::addRow("%s, %s", name(type).data(), what) << type << x << scale << expected;
  };
  const float infinity = Limits::infinity();
  const float denormal = Limits::denorm_min();
  row("saturates", QuantType::Float8E4M3, 1000, 1, 448);
  row("saturates to the scale", QuantType::Float8E4M3, -1e30F, 0.5F, -224);
  row("infinity saturates", QuantType::Float8E4M3, infinity, 1, 448);
  row("minus infinity saturates", QuantType::Float8E5M2, -infinity, 1, -57344);
  row("minus zero", QuantType::Float8E4M3, -0.0F, 1, -0.0F);
  row("smallest subnormal", QuantType::Float8E4M3, 0x1p-9F, 1, 0x1p-9F);
  row("half of it ties to 0", QuantType::Float8E4M3, 0x1p-10F, 1, 0);
  row("above half of it", QuantType::Float8E4M3, 0x1.1p-10F, 1, 0x1p-9F);
  row("smallest subnormal", QuantType::Float8E5M2, -0x1p-16F, 1, -0x1p-16F);
  row("tie to even", QuantType::Float8E4M3, 17, 1, 16);
  row("tie to even above", QuantType::Float8E4M3, 19, 1, 20);
  row("denormal", QuantType::Float8E4M3, denormal, 1, 0);
  row("denormal, smallest scale", QuantType::Float8E4M3, 0x1p-135F, Limits::min(), 0x1p-135F);
  row("product overflows", QuantType::Float8E5M2, Limits::max(), 0x1p120F, infinity);
  row("overflow", QuantType::Float16, 65520, 1, infinity);
  row("below overflow", QuantType::Float16, 65519.996F, 1, 65504);
  row("infinity", QuantType::Float16, -infinity, 1, -infinity);
  row("smallest subnormal", QuantType::Float16, 0x1p-24F, 1, 0x1p-24F);
  row("half of it ties to 0", QuantType::Float16, -0x1p-25F, 1, -0.0F);
  row("denormal float", QuantType::Float16, -denormal, 1, -0.0F);
  row("overflow", QuantType::BFloat16, Limits::max(), 1, infinity);
  row("minus infinity", QuantType::BFloat16, -infinity, 1, -infinity);
  row("denormal stays", QuantType::BFloat16, 0x1p-133F, 1, 0x1p-133F);
  row("denormal ties to 0", QuantType::BFloat16, 0x1p-134F, 1, 0);
  row("tie to even", QuantType::BFloat16, 0x1.01p0F, 1, 1);
  row("tie to even above", QuantType::BFloat16, 0x1.03p0F, 1, 0x1.04p0F);
  row("zero", QuantType::Binary, 0, 0.5F, 0.5F);
  row("minus zero", QuantType::Binary, -0.0F, 0.5F, 0.5F);
  row("negative denormal", QuantType::Binary, -denormal, 0.5F, -0.5F);
  row("minus infinity", QuantType::Binary, -infinity, 0.5F, -0.5F);
  row("at the threshold", QuantType::Ternary, 0.25F, 0.5F, 0);
  row("above the threshold", QuantType::Ternary, 0.2500001F, 0.5F, 0.5F);
  row("below minus the threshold", QuantType::Ternary, -0.3F, 0.5F, -0.5F);
  row("minus zero", QuantType::Ternary, -0.0F, 0.5F, 0);
  row("infinity", QuantType::Ternary, infinity, 0.5F, 0.5F);
  for (int type = 1; type <= static_cast<int>(QuantType::Binary); ++type) {
    row("not a number", static_cast<QuantType>(type), Limits::quiet_NaN(), 0.5F,
        Limits::quiet_NaN());
    row("a NaN with bits of its own", static_cast<QuantType>(type),
        std::bit_cast<float>(0xFFC12345U), 0.5F, std::bit_cast<float>(0xFFC12345U));
  }
}

void FakeQuantizeTypesTest::singleNumbers() {
  QFETCH(QuantType, type);
  QFETCH(float, x);
  QFETCH(float, scale);
  QFETCH(float, expected);
  const std::vector<float> result = rounded({&x, 1}, Codes::of(type), {scale, 0, scale / 2});
  QCOMPARE(firstDifference(result, {&expected, 1}), -1);
}

void FakeQuantizeTypesTest::float32IsLeftAlone() {
  const std::vector<float> in = hostileNumbers(100, 10, 3);
  QCOMPARE(firstDifference(rounded(in, Codes::of(QuantType::Float32)), in), -1);
}

void FakeQuantizeTypesTest::comparisonSeesWrongRounding() {
  QFETCH(QuantType, type);
  const Codes codes = Codes::of(type);
  const std::vector<float> in = hardNumbers(codes, {}, 4099);
  const std::vector<float> right = mapped(in, codes, {});
  QVERIFY(firstDifference(right, mapped(in, codes, {}, truncatingTwin)) >= 0);
  QVERIFY(firstDifference(right, mapped(in, codes, {}, flushingTwin)) >= 0);
}

void FakeQuantizeTypesTest::refusals() {
  std::vector<float> four(4);
  const auto refused = [&](QuantType type, const Grid& grid) {
    QVERIFY_THROWS_EXCEPTION(Error, fakeQuantize(four, four, Codes::of(type), grid));
  };
  refused(QuantType::Float8E4M3, {0, 0, 0});
  refused(QuantType::Float8E5M2, {Limits::denorm_min(), 0, 0});
  refused(QuantType::Ternary, {-1, 0, 0});
  refused(QuantType::Ternary, {1, 0, Limits::quiet_NaN()});
  refused(QuantType::Binary, {Limits::infinity(), 0, 0});
  const Grids two(2);
  const Codes codes = Codes::of(QuantType::Int4);
  QVERIFY_THROWS_EXCEPTION(Error, fakeQuantizePerGroup(four, four, {1, 4, 1}, 0, codes, two));
  QVERIFY_THROWS_EXCEPTION(Error,
                           fakeQuantizePerGroup(four, four, {1, 4, 1}, 3, codes, {two.data(), 1}));
  QVERIFY_THROWS_EXCEPTION(Error, fakeQuantizePerGroup(four, four, {1, 5, 1}, 3, codes, two));
}

QUANTSCOPE_TEST(FakeQuantizeTypesTest)
#include "test_fake_quantize_types.moc"
