#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "kernels/codes/quantize_packed.h"
#include "kernels/guarded_array.h"
#include "kernels/kernel_fixture.h"
#include "kernels/quantized_arrays.h"
#include "kernels/type_twins.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Numbers = std::span<const float>;
using Storage = std::span<std::uint8_t>;
using Stored = std::span<const std::uint8_t>;

/// Numbers to stored codes, and back.
struct Storing {
  std::function<std::size_t(Numbers, Storage, const Codes&, const Grid&)> store = quantizePacked;
  std::function<void(Stored, std::span<float>, const Codes&, const Grid&)> load = dequantizePacked;
};

const std::vector<TypeOnGrid>& codedTypes() {
  static const std::vector<TypeOnGrid> all{
      {QuantType::Int8, {0.037F, 3, 0}},     {QuantType::UInt8, {0.037F, 130, 0}},
      {QuantType::Int16, {0.01F, 0, 0}},     {QuantType::UInt16, {0.01F, 1234, 0}},
      {QuantType::Int4, {0.5F, -2, 0}},      {QuantType::UInt4, {0.5F, 3, 0}},
      {QuantType::Int2, {3.0F, 0, 0}},       {QuantType::UInt2, {3.0F, 1, 0}},
      {QuantType::Ternary, {0.8F, 0, 0.4F}}, {QuantType::Binary, {0.7F, 0, 0}}};
  return all;
}

int codeTwin(float x, const Codes& codes, const Grid& grid) {
  if (codes.type == QuantType::Binary) return x < 0 ? 0 : 1;
  if (codes.type == QuantType::Ternary) {
    return std::abs(x) > grid.threshold ? (x < 0 ? -1 : 1) : 0;
  }
  const double steps =
      std::isnan(x) ? 0 : std::nearbyint(static_cast<float>(double{x} / double{grid.scale}));
  return static_cast<int>(std::clamp<double>(steps + grid.zeroPoint, codes.qmin, codes.qmax));
}

// Bit by bit, as the format says.
Bytes storageTwin(std::span<const int> codes, int bits) {
  const auto width = static_cast<std::size_t>(bits);
  Bytes bytes((codes.size() * width + 7) / 8, 0);
  for (std::size_t i = 0; i < codes.size() * width; ++i) {
    const auto pattern = static_cast<unsigned>(codes[i / width]);
    bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | (pattern >> i % width & 1U) << i % 8);
  }
  return bytes;
}

float realTwin(int code, const Codes& codes, const Grid& grid) {
  const int number = codes.type == QuantType::Binary ? 2 * code - 1 : code;
  return static_cast<float>((double(number) - grid.zeroPoint) * double{grid.scale});
}

// One length and place in memory; true where nothing is wrong.
bool storesLikeTwin(const Storing& storing, const Codes& codes, const Grid& grid,
                    std::size_t length, std::size_t offset, std::int64_t target, bool flush) {
  const std::vector<float> in = hardNumbers(codes, grid, length);
  std::vector<int> expectedCodes;
  std::vector<float> expected;
  for (const float x : in) {
    expectedCodes.push_back(codeTwin(x, codes, grid));
    expected.push_back(realTwin(expectedCodes.back(), codes, grid));
  }
  const Bytes bytes = storageTwin(expectedCodes, bitWidth(codes.type));
  const auto nans =
      static_cast<std::size_t>(std::ranges::count_if(in, [](float x) { return std::isnan(x); }));
  GuardedArray<float> source(in, offset);
  GuardedArray<std::uint8_t> stored(bytes.size(), 2 * offset);
  GuardedArray<float> result(length, offset / 2);
  std::size_t counted = 0;
  {
    const KernelMode mode(target, flush);
    counted = storing.store(source.span(), stored.span(), codes, grid);
    storing.load(bytes, result.span(), codes, grid);
  }
  return counted == nans && std::ranges::equal(stored.span(), bytes) && stored.guardsHold() &&
         firstDifference(result.span(), expected) == -1 && result.guardsHold();
}

QString storingFault(const Storing& storing, std::int64_t target, bool flush) {
  for (const auto& [type, grid] : codedTypes()) {
    for (const std::size_t length : kernelLengths()) {
      for (const std::size_t offset : {0, 3}) {
        if (storesLikeTwin(storing, Codes::of(type), grid, length, offset, target, flush)) continue;
        return QString("%1, %2 elements").arg(name(type).data()).arg(length);
      }
    }
  }
  return {};
}

// Stores what `codeOf` says.
template <class CodeOf>
Storing storingCodes(const CodeOf& codeOf) {
  Storing storing;
  storing.store = [codeOf](Numbers in, Storage out, const Codes& codes, const Grid& grid) {
    std::vector<int> all;
    for (const float x : in) all.push_back(codeOf(x, codes, grid));
    std::ranges::copy(storageTwin(all, bitWidth(codes.type)), out.begin());
    return static_cast<std::size_t>(
        std::ranges::count_if(in, [](float x) { return std::isnan(x); }));
  };
  return storing;
}

// Changes the bytes that the real kernel has stored.
template <class Change>
Storing afterStoring(const Change& change) {
  Storing storing;
  storing.store = [change](Numbers in, Storage out, const Codes& codes, const Grid& grid) {
    const std::size_t nans = quantizePacked(in, out, codes, grid);
    change(in, out, bitWidth(codes.type));
    return nans;
  };
  return storing;
}

// Loads bytes that were changed before.
template <class Change>
Storing beforeLoading(const Change& change) {
  Storing storing;
  storing.load = [change](Stored in, std::span<float> out, const Codes& codes, const Grid& grid) {
    Bytes bytes(in.begin(), in.end());
    Grid changed = grid;
    change(bytes, changed, codes);
    dequantizePacked(bytes, out, codes, changed);
  };
  return storing;
}

Storing miscounting() {
  Storing storing;
  storing.store = [](Numbers in, Storage out, const Codes& codes, const Grid& grid) {
    quantizePacked(in, out, codes, grid);
    return std::size_t{0};
  };
  return storing;
}

Storing loadingAllButTheLast() {
  Storing storing;
  storing.load = [](Stored in, std::span<float> out, const Codes& codes, const Grid& grid) {
    std::vector<float> all(out.size());
    dequantizePacked(in, all, codes, grid);
    if (!all.empty()) std::copy(all.begin(), all.end() - 1, out.begin());
  };
  return storing;
}

// The sign of codes below 8 bits is a bit like the others.
Storing withoutSigns() {
  Storing storing;
  storing.load = [](Stored in, std::span<float> out, const Codes& codes, const Grid& grid) {
    dequantizePacked(in, out, codes, grid);
    if (codes.type != QuantType::Int4) return;
    for (float& x : out) {
      if (x / grid.scale + static_cast<float>(grid.zeroPoint) < 0) x += 16 * grid.scale;
    }
  };
  return storing;
}

int codeWithTiesAway(float x, const Codes& codes, const Grid& grid) {
  if (!isInteger(codes.type) || std::isnan(x)) return codeTwin(x, codes, grid);
  const double steps = std::round(static_cast<float>(double{x} / double{grid.scale}));
  return static_cast<int>(std::clamp<double>(steps + grid.zeroPoint, codes.qmin, codes.qmax));
}

int wraps(float x, const Codes& codes, const Grid& grid) {
  if (!isInteger(codes.type) || !(std::abs(x) < 1e6F * grid.scale)) return codeTwin(x, codes, grid);
  return static_cast<int>(std::nearbyint(x / grid.scale)) + grid.zeroPoint;
}

int lowestForNan(float x, const Codes& codes, const Grid& grid) {
  return std::isnan(x) && isInteger(codes.type) ? codes.qmin : codeTwin(x, codes, grid);
}

int codeWithoutZeroPoint(float x, const Codes& codes, const Grid& grid) {
  return codeTwin(x, codes, {grid.scale, 0, grid.threshold});
}

std::uint8_t reversed(std::uint8_t byte) {
  return static_cast<std::uint8_t>(byte << 4 | byte >> 4);
}

struct WrongStoring {
  const char* what;
  Storing storing;
};

const std::vector<WrongStoring>& wrongStorings() {
  static const std::vector<WrongStoring> all{
      {"ties away from zero", storingCodes(codeWithTiesAway)},
      {"wraps around", storingCodes(wraps)},
      {"NaN has the lowest code", storingCodes(lowestForNan)},
      {"forgets the zero point", storingCodes(codeWithoutZeroPoint)},
      {"does not count NaN", miscounting()},
      {"the highest bits first", afterStoring([](Numbers, Storage out, int bits) {
         if (bits == 4) std::ranges::transform(out, out.begin(), reversed);
       })},
      {"leaves bits behind the last code", afterStoring([](Numbers in, Storage out, int bits) {
         if (bits == 2 && in.size() % 4 != 0) out.back() |= 0x80;
       })},
      {"forgets the last byte", afterStoring([](Numbers, Storage out, int) {
         if (!out.empty()) out.back() ^= 1;
       })},
      {"big endian", afterStoring([](Numbers, Storage out, int bits) {
         for (std::size_t i = 0; bits == 16 && i < out.size(); i += 2)
           std::swap(out[i], out[i + 1]);
       })},
      {"writes beyond its end",
       afterStoring([](Numbers, Storage out, int) { out.data()[out.size()] = 0; })},
      {"loads the highest bits first", beforeLoading([](Bytes& bytes, Grid&, const Codes& codes) {
         if (bitWidth(codes.type) == 4) std::ranges::transform(bytes, bytes.begin(), reversed);
       })},
      {"loads without the zero point",
       beforeLoading([](Bytes&, Grid& grid, const Codes&) { grid.zeroPoint = 0; })},
      {"loads all but the last", loadingAllButTheLast()},
      {"loads without signs", withoutSigns()},
  };
  return all;
}

}  // namespace

/// The comparison that storing and loading codes has to pass, and wrong kernels that must not.
class CodeMutantsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theKernelsPass_data() { addKernelModes(); }
  void theKernelsPass();
  void theTwinPasses();
  void everyMutantIsCaught_data();
  void everyMutantIsCaught();
};

void CodeMutantsTest::theKernelsPass() {
  QFETCH(qint64, target);
  QFETCH(bool, flush);
  QCOMPARE(storingFault({}, target, flush), QString());
}

// So that a mutant is caught for what it does wrong, not for how it is written.
void CodeMutantsTest::theTwinPasses() {
  QCOMPARE(storingFault(storingCodes(codeTwin), 0, false), QString());
}

void CodeMutantsTest::everyMutantIsCaught_data() {
  QTest::addColumn<int>("index");
  for (std::size_t i = 0; i < wrongStorings().size(); ++i) {
    QTest::newRow(wrongStorings()[i].what) << static_cast<int>(i);
  }
}

void CodeMutantsTest::everyMutantIsCaught() {
  QFETCH(int, index);
  QVERIFY(
      !storingFault(wrongStorings()[static_cast<std::size_t>(index)].storing, 0, false).isEmpty());
}

QUANTSCOPE_TEST(CodeMutantsTest)
#include "test_code_mutants.moc"
