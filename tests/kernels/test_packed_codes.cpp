#include <QtTest>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/codes/packed_codes.h"
#include "kernels/codes/quantize_packed.h"
#include "kernels/kernel_fixture.h"
#include "kernels/quantized_arrays.h"
#include "kernels/type_twins.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

const std::vector<TypeOnGrid>& storedTypes() {
  static const std::vector<TypeOnGrid> all{{QuantType::Float16, {}},
                                           {QuantType::BFloat16, {}},
                                           {QuantType::Float8E4M3, {0.037F, 0, 0}},
                                           {QuantType::Float8E4M3, {0x1p-126F, 0, 0}},
                                           {QuantType::Float8E5M2, {0.37F, 0, 0}},
                                           {QuantType::Float8E5M2, {1.7e-38F, 0, 0}},
                                           {QuantType::Int16, {0.01F, 0, 0}},
                                           {QuantType::UInt16, {0.01F, 1234, 0}},
                                           {QuantType::Int8, {0.5F, -7, 0}},
                                           {QuantType::UInt8, {0.5F, 130, 0}},
                                           {QuantType::Int4, {0.5F, 0, 0}},
                                           {QuantType::UInt4, {0.5F, 3, 0}},
                                           {QuantType::Int2, {3.0F, -1, 0}},
                                           {QuantType::UInt2, {3.0F, 2, 0}},
                                           {QuantType::Ternary, {0.8F, 0, 0.4F}},
                                           {QuantType::Binary, {0.7F, 0, 0}}};
  return all;
}

// A NaN of an integer or a sign has the code of 0.
std::vector<float> withoutNans(std::vector<float> in, QuantType type) {
  for (float& x : in) {
    if (std::isnan(x)) x = isFloatFormat(type) ? 1.0F : 0.0F;
  }
  return in;
}

}  // namespace

class PackedCodesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyPairOfCodes_data();
  void everyPairOfCodes();
  void everyLength_data() { everyPairOfCodes_data(); }
  void everyLength();
  void orderOfBits();
  void everyCodeOfFloatFormats_data();
  void everyCodeOfFloatFormats();
  void storedAsRounded_data() { addKernelModes(); }
  void storedAsRounded();
  void perChannelAndGroup_data() { addKernelModes(); }
  void perChannelAndGroup();
  void nansAreCounted();
  void refusals();
};

void PackedCodesTest::everyPairOfCodes_data() {
  QTest::addColumn<int>("bits");
  for (const int bits : {1, 2, 4}) QTest::addRow("%d bits", bits) << bits;
}

// Each pair of codes at each place of a byte and over its end.
void PackedCodesTest::everyPairOfCodes() {
  QFETCH(int, bits);
  const unsigned count = 1U << bits;
  for (unsigned a = 0; a < count; ++a) {
    for (unsigned b = 0; b < count; ++b) {
      for (std::size_t place = 0; place < 16; ++place) {
        Bytes codes(18, 0);
        codes[place] = static_cast<std::uint8_t>(a);
        codes[place + 1] = static_cast<std::uint8_t>(b);
        Bytes packed(packedSize(codes.size(), bits));
        packCodes(codes, bits, packed);
        Bytes again(codes.size());
        unpackCodes(packed, bits, again);
        QCOMPARE(again, codes);
      }
    }
  }
}

// Against bit by bit; what lies above a code's bits does not count, what no code takes is 0.
void PackedCodesTest::everyLength() {
  QFETCH(int, bits);
  for (std::size_t length = 0; length < 70; ++length) {
    Bytes codes;
    for (std::size_t i = 0; i < length; ++i)
      codes.push_back(static_cast<std::uint8_t>(i * 157 + 11));
    Bytes expected((length * static_cast<std::size_t>(bits) + 7) / 8, 0);
    for (std::size_t bit = 0; bit < length * static_cast<std::size_t>(bits); ++bit) {
      const std::size_t code = bit / static_cast<std::size_t>(bits);
      const unsigned value = codes[code] >> bit % static_cast<std::size_t>(bits) & 1U;
      expected[bit / 8] = static_cast<std::uint8_t>(expected[bit / 8] | value << bit % 8);
    }
    Bytes packed(packedSize(length, bits), 0xFF);
    packCodes(codes, bits, packed);
    QCOMPARE(packed, expected);
  }
}

void PackedCodesTest::orderOfBits() {
  QCOMPARE(stored(std::vector<float>{1, -8, 7}, Codes::of(QuantType::Int4)), (Bytes{0x81, 0x07}));
  QCOMPARE(stored(std::vector<float>{1, 15}, Codes::of(QuantType::UInt4)), (Bytes{0xF1}));
  QCOMPARE(stored(std::vector<float>{1, -2, 0, -1, 1}, Codes::of(QuantType::Int2)),
           (Bytes{0b11001001, 1}));
  QCOMPARE(stored(std::vector<float>{1, -1, 0, -1, 1}, Codes::of(QuantType::Ternary)),
           (Bytes{0b11001101, 1}));
  QCOMPARE(
      stored(std::vector<float>{1, -1, 0, -0.0F, -3, 1, 1, -1, 2}, Codes::of(QuantType::Binary)),
      (Bytes{0b01101101, 1}));
  QCOMPARE(stored(std::vector<float>{-2, 258}, Codes::of(QuantType::Int16)),
           (Bytes{0xFE, 0xFF, 0x02, 0x01}));
  QCOMPARE(stored(std::vector<float>{1, -2}, Codes::of(QuantType::Float16)),
           (Bytes{0x00, 0x3C, 0x00, 0xC0}));
  QCOMPARE(stored(std::vector<float>{1, -448}, Codes::of(QuantType::Float8E4M3)),
           (Bytes{0x38, 0xFE}));
}

void PackedCodesTest::everyCodeOfFloatFormats_data() {
  QTest::addColumn<QuantType>("type");
  for (const QuantType type :
       {QuantType::Float16, QuantType::BFloat16, QuantType::Float8E4M3, QuantType::Float8E5M2}) {
    QTest::addRow("%s", name(type).data()) << type;
  }
}

void PackedCodesTest::everyCodeOfFloatFormats() {
  QFETCH(QuantType, type);
  const std::size_t count = std::size_t{1} << bitWidth(type);
  Bytes bytes(storageSize(type, count));
  for (std::size_t code = 0; code < count; ++code) {
    std::memcpy(bytes.data() + storageSize(type, code), &code, storageSize(type, 1));
  }
  const std::vector<float> numbers = restored(bytes, count, Codes::of(type));
  const Bytes again = stored(numbers, Codes::of(type));
  for (std::size_t code = 0; code < count; ++code) {
    const double expected = decoded(type, static_cast<unsigned>(code));
    if (std::isnan(expected)) {
      QVERIFY(std::isnan(numbers[code]));
      continue;
    }
    const auto number = static_cast<float>(expected);
    QCOMPARE(firstDifference({&numbers[code], 1}, {&number, 1}), -1);
    // FP8 saturates, so that infinities do not come back.
    if (std::isinf(expected) && bitWidth(type) == 8) continue;
    QVERIFY(std::memcmp(again.data() + storageSize(type, code),
                        bytes.data() + storageSize(type, code), storageSize(type, 1)) == 0);
  }
}

void PackedCodesTest::storedAsRounded() {
  for (const auto& [type, grid] : storedTypes()) {
    const Codes codes = Codes::of(type);
    for (const std::size_t length : kernelLengths()) {
      const std::vector<float> in = withoutNans(hardNumbers(codes, grid, length), type);
      const std::vector<float> expected = mapped(in, codes, grid);
      for (const std::size_t offset : {0, 1, 3}) {
        OffsetArray source(in, offset);
        OffsetArray target(std::vector<float>(length, -1.0F), offset / 2);
        Bytes bytes(storageSize(type, length));
        const KernelMode mode = kernelModeOfRow();
        quantizePacked(source.span(), bytes, codes, grid);
        dequantizePacked(bytes, target.span(), codes, grid);
        QVERIFY2(firstDifference(target.span(), expected) == -1, name(type).data());
      }
    }
  }
}

void PackedCodesTest::perChannelAndGroup() {
  const ChannelLayout layouts[] = {{3, 5, 1},  {2, 67, 1}, {3, 4, 31},
                                   {2, 5, 77}, {0, 3, 4},  {2, 3, 0}};
  for (const auto& [type, grid] : storedTypes()) {
    const Codes codes = Codes::of(type);
    for (const ChannelLayout& layout : layouts) {
      const std::vector<float> in =
          withoutNans(hardNumbers(codes, grid, layout.elementCount()), type);
      Bytes bytes(storageSize(type, in.size()));
      std::vector<float> expected(in.size());
      std::vector<float> result(in.size());
      const KernelMode mode = kernelModeOfRow();
      Grids grids;
      for (std::size_t c = 0; c < layout.channels; ++c) grids.push_back(variedGrid(grid, c));
      fakeQuantizePerChannel(in, expected, layout, codes, grids);
      quantizePackedPerChannel(in, bytes, layout, codes, grids);
      dequantizePackedPerChannel(bytes, result, layout, codes, grids);
      QVERIFY2(firstDifference(result, expected) == -1, name(type).data());
      for (const std::size_t size : {1, 3, 16, 32}) {
        grids.clear();
        const std::size_t groups = (layout.channels + size - 1) / size;
        for (std::size_t i = 0; i < layout.outer * groups * layout.inner; ++i) {
          grids.push_back(variedGrid(grid, i));
        }
        fakeQuantizePerGroup(in, expected, layout, size, codes, grids);
        quantizePackedPerGroup(in, bytes, layout, size, codes, grids);
        dequantizePackedPerGroup(bytes, result, layout, size, codes, grids);
        QVERIFY2(firstDifference(result, expected) == -1, name(type).data());
      }
    }
  }
}

void PackedCodesTest::nansAreCounted() {
  std::vector<float> in(37, 1.0F);
  in[3] = std::nanf("");
  in[36] = -std::nanf("");
  for (const auto& [type, grid] : storedTypes()) {
    Bytes bytes(storageSize(type, in.size()));
    QCOMPARE(quantizePacked(in, bytes, Codes::of(type), grid), std::size_t{2});
    const float back = restored(bytes, in.size(), Codes::of(type), grid)[3];
    const float zero = 0;
    std::vector<float> ofZero(1);
    fakeQuantize({&zero, 1}, ofZero, Codes::of(type), grid);
    QVERIFY2(isFloatFormat(type) ? std::isnan(back) : back == ofZero[0], name(type).data());
  }
}

void PackedCodesTest::refusals() {
  std::vector<float> numbers(9);
  Bytes bytes(5);
  Bytes four(4);
  QVERIFY_THROWS_EXCEPTION(Error, packCodes(Bytes(9), 4, four));
  QVERIFY_THROWS_EXCEPTION(Error, unpackCodes(Bytes(5), 3, bytes));
  QVERIFY_THROWS_EXCEPTION(Error,
                           quantizePacked(numbers, bytes, Codes::of(QuantType::Float32), {}));
  QVERIFY_THROWS_EXCEPTION(Error, quantizePacked(numbers, bytes, Codes::of(QuantType::Int8), {}));
  QVERIFY_THROWS_EXCEPTION(Error, quantizePacked(numbers, bytes, {QuantType::Int4, -8, 8}, {}));
  QVERIFY_THROWS_EXCEPTION(Error,
                           dequantizePacked(bytes, numbers, {QuantType::Int4, -8, 7}, {0, 0, 0}));
  quantizePacked(numbers, bytes, Codes::of(QuantType::UInt4), {});
}

QUANTSCOPE_TEST(PackedCodesTest)
#include "test_packed_codes.moc"
