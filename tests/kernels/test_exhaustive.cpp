#include <QtTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/codes/dequantize.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/codes/quantize.h"
#include "kernels/codes/quantize_packed.h"
#include "kernels/kernel_fixture.h"
#include "kernels/quantized_arrays.h"
#include "kernels/type_twins.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr QuantType kFloatFormats[] = {QuantType::Float16, QuantType::BFloat16,
                                       QuantType::Float8E4M3, QuantType::Float8E5M2};

bool sameBits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

float nextUp(float x) {
  return std::nextafterf(x, Limits::infinity());
}

// Code i of float formats in storage: a byte, or two in little endian.
unsigned codeAt(const Bytes& bytes, QuantType type, std::size_t i) {
  if (bitWidth(type) == 8) return bytes[i];
  return bytes[2 * i] | static_cast<unsigned>(bytes[2 * i + 1]) << 8;
}

Bytes everyCode(QuantType type) {
  Bytes bytes;
  for (unsigned code = 0; code < 1U << bitWidth(type); ++code) {
    bytes.push_back(static_cast<std::uint8_t>(code));
    if (bitWidth(type) == 16) bytes.push_back(static_cast<std::uint8_t>(code >> 8));
  }
  return bytes;
}

// Codes to numbers, and the numbers to themselves and back to codes, in the mode of the row.
struct RoundTrip {
  std::vector<float> numbers;
  std::vector<float> rounded;
  Bytes codes;
};

RoundTrip roundTripOfAllCodes(QuantType type) {
  const Bytes all = everyCode(type);
  const KernelMode mode = kernelModeOfRow();
  const Codes codes = Codes::of(type);
  const std::vector<float> numbers = restored(all, std::size_t{1} << bitWidth(type), codes, {});
  return {numbers, rounded(numbers, codes, {}), stored(numbers, codes, {})};
}

// Where the nearest code changes: the middle between neighbours, and beyond the largest the end of
// its share, with the floats before and behind.
struct Boundaries {
  std::vector<float> numbers;
  std::vector<unsigned> codes;  // the ones they round to
};

Boundaries boundariesOf(QuantType type) {
  const std::vector<double>& table = numbersOf(type);
  const unsigned sign = 1U << (bitWidth(type) - 1);
  const auto last = static_cast<unsigned>(table.size()) - 1;
  Boundaries result;
  const auto add = [&](float x, unsigned code) {
    result.numbers.insert(result.numbers.end(), {x, -x});
    result.codes.insert(result.codes.end(), {code, code | sign});
  };
  for (unsigned code = 0; code < last; ++code) {
    const auto tie = static_cast<float>((table[code] + table[code + 1]) / 2);
    add(std::nextafterf(tie, 0), code);
    add(tie, code % 2 == 0 ? code : code + 1);
    add(nextUp(tie), code + 1);
  }
  const auto beyond = static_cast<float>(table[last] + (table[last] - table[last - 1]) / 2);
  const unsigned overflow = bitWidth(type) == 8 ? last : last + 1;  // FP8 saturates
  add(std::nextafterf(beyond, 0), last);
  add(beyond, overflow);
  add(Limits::infinity(), overflow);
  return result;
}

struct Packed {
  QuantType type;
  Grid grid;
  std::vector<std::int32_t> codes;
};

const std::vector<Packed>& packedTypes() {
  static const std::vector<Packed> all = [] {
    std::vector<Packed> types{{QuantType::Int4, {0.37F, 2, 0}, {}},
                              {QuantType::UInt4, {0.37F, 5, 0}, {}},
                              {QuantType::Int2, {1.5F, -1, 0}, {}},
                              {QuantType::UInt2, {1.5F, 1, 0}, {}},
                              {QuantType::Ternary, {0.8F, 0, 0.4F}, {-1, 0, 1}},
                              {QuantType::Binary, {0.8F, 0, 0}, {-1, 1}}};
    for (Packed& packed : types) {
      if (!packed.codes.empty()) continue;
      for (std::int32_t code = lowestCode(packed.type); code <= highestCode(packed.type); ++code) {
        packed.codes.push_back(code);
      }
    }
    return types;
  }();
  return all;
}

// `lead` codes, then every pair of codes as neighbours: with a lead of 0 they share a byte, with
// others they lie over its end.
std::vector<std::int32_t> everyPair(const Packed& packed, std::size_t lead) {
  std::vector<std::int32_t> codes(lead, packed.codes.back());
  for (const std::int32_t a : packed.codes) {
    for (const std::int32_t b : packed.codes) codes.insert(codes.end(), {a, b});
  }
  return codes;
}

// Bit by bit, as the format says.
Bytes packedTwin(std::span<const std::int32_t> codes, QuantType type) {
  const auto bits = static_cast<std::size_t>(bitWidth(type));
  Bytes bytes((codes.size() * bits + 7) / 8, 0);
  for (std::size_t i = 0; i < codes.size() * bits; ++i) {
    const std::int32_t code = codes[i / bits];
    const auto pattern = static_cast<unsigned>(type == QuantType::Binary ? code > 0 : code);
    bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | (pattern >> i % bits & 1U) << i % 8);
  }
  return bytes;
}

// Every other scale has so few digits that its ties are floats; the others have all 24.
float scaleOf(int i) {
  const float significand =
      i % 2 == 0 ? 1 + static_cast<float>(i) / 1024 : std::sqrt(1 + static_cast<float>(i) / 1000);
  return std::ldexp(significand, i % 60 - 30);
}

constexpr int kScales = 1000;
constexpr int kFirstTie = -140;
constexpr int kLastTie = 140;

// The tie above each code and its neighbours.
std::vector<float> tiesOf(float scale) {
  std::vector<float> ties;
  for (int code = kFirstTie; code <= kLastTie; ++code) {
    const float tie = (static_cast<float>(code) + 0.5F) * scale;
    ties.insert(ties.end(), {std::nextafterf(tie, Limits::lowest()), tie, nextUp(tie)});
  }
  return ties;
}

int evenOf(int code) {
  return code % 2 == 0 ? code : code + 1;
}

}  // namespace

/// Whatever has few enough codes to try all of them, on every target and in both modes of the
/// floating-point unit.
class ExhaustiveTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyCodeOfFloatFormats_data() { addKernelModes(); }
  void everyCodeOfFloatFormats();
  void everyBoundaryOfFloatFormats_data() { addKernelModes(); }
  void everyBoundaryOfFloatFormats();
  void everyPairOfPackedCodes_data() { addKernelModes(); }
  void everyPairOfPackedCodes();
  void everyTieOfInt8_data() { addKernelModes(); }
  void everyTieOfInt8();
  void exactTiesGoToEven_data() { addKernelModes(); }
  void exactTiesGoToEven();
};

void ExhaustiveTest::everyCodeOfFloatFormats() {
  for (const QuantType type : kFloatFormats) {
    const RoundTrip trip = roundTripOfAllCodes(type);
    for (std::size_t code = 0; code < trip.numbers.size(); ++code) {
      const double exact = decoded(type, static_cast<unsigned>(code));
      const unsigned back = codeAt(trip.codes, type, code);
      if (std::isnan(exact)) {
        QVERIFY(std::isnan(trip.numbers[code]) && std::isnan(trip.rounded[code]));
        QVERIFY(std::isnan(decoded(type, back)));
        continue;
      }
      QVERIFY(sameBits(trip.numbers[code], static_cast<float>(exact)));
      // FP8 saturates, so that infinities do not come back.
      if (std::isinf(exact) && bitWidth(type) == 8) continue;
      QVERIFY(back == code);
      QVERIFY(sameBits(trip.rounded[code], trip.numbers[code]));
    }
  }
}

void ExhaustiveTest::everyBoundaryOfFloatFormats() {
  for (const QuantType type : kFloatFormats) {
    const Boundaries boundaries = boundariesOf(type);
    std::vector<float> expected;
    for (const unsigned code : boundaries.codes) {
      expected.push_back(static_cast<float>(decoded(type, code)));
    }
    const KernelMode mode = kernelModeOfRow();
    const Codes codes = Codes::of(type);
    QVERIFY2(firstDifference(rounded(boundaries.numbers, codes, {}), expected) == -1,
             name(type).data());
    const Bytes bytes = stored(boundaries.numbers, codes, {});
    std::vector<unsigned> actual;
    for (std::size_t i = 0; i < boundaries.codes.size(); ++i) {
      actual.push_back(codeAt(bytes, type, i));
    }
    QVERIFY2(actual == boundaries.codes, name(type).data());
  }
}

void ExhaustiveTest::everyPairOfPackedCodes() {
  const KernelMode mode = kernelModeOfRow();
  for (const Packed& packed : packedTypes()) {
    for (std::size_t lead = 0; lead < 8; ++lead) {
      const std::vector<std::int32_t> pairs = everyPair(packed, lead);
      std::vector<float> numbers;
      for (const std::int32_t code : pairs) {
        numbers.push_back(static_cast<float>(code - packed.grid.zeroPoint) * packed.grid.scale);
      }
      const Codes codes = Codes::of(packed.type);
      const Bytes bytes = stored(numbers, codes, packed.grid);
      QVERIFY2(bytes == packedTwin(pairs, packed.type), name(packed.type).data());
      const std::vector<float> back = restored(bytes, pairs.size(), codes, packed.grid);
      QVERIFY2(firstDifference(back, numbers) == -1, name(packed.type).data());
    }
  }
}

void ExhaustiveTest::everyTieOfInt8() {
  const Codes codes = Codes::of(QuantType::Int8);
  for (int i = 0; i < kScales; ++i) {
    const Grid grid{scaleOf(i), i % 7 - 3, 0};
    const std::vector<float> ties = tiesOf(grid.scale);
    const std::vector<float> expected = mapped(ties, codes, grid);
    const KernelMode mode = kernelModeOfRow();
    QCOMPARE(firstDifference(rounded(ties, codes, grid), expected), -1);
    const Bytes bytes = stored(ties, codes, grid);
    QCOMPARE(firstDifference(restored(bytes, ties.size(), codes, grid), expected), -1);
    std::vector<std::int8_t> plain(ties.size());
    quantize(ties, plain, grid, codes.qmin, codes.qmax);
    QVERIFY(std::memcmp(plain.data(), bytes.data(), bytes.size()) == 0);
  }
}

// Where the tie itself is a float no division is needed to say where it goes.
void ExhaustiveTest::exactTiesGoToEven() {
  const KernelMode mode = kernelModeOfRow();
  for (int i = 0; i < kScales; i += 2) {
    const std::vector<float> ties = tiesOf(scaleOf(i));
    std::vector<std::int8_t> codes(ties.size());
    quantize(ties, codes, {scaleOf(i), 0, 0}, -128, 127);
    for (int code = kFirstTie; code <= kLastTie; ++code) {
      const auto at = static_cast<std::size_t>(code - kFirstTie) * 3 + 1;
      QVERIFY(codes[at] == std::clamp(evenOf(code), -128, 127));
    }
  }
}

QUANTSCOPE_TEST(ExhaustiveTest)
#include "test_exhaustive.moc"
