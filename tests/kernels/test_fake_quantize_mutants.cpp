#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "kernels/codes/fake_quantize.h"
#include "kernels/guarded_array.h"
#include "kernels/kernel_fixture.h"
#include "kernels/quantized_arrays.h"
#include "kernels/type_twins.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Output = std::span<float>;
using RoundingKernel = std::function<void(Input, Output, const Codes&, const Grid&)>;

const std::vector<TypeOnGrid>& provenTypes() {
  static const std::vector<TypeOnGrid> all{{QuantType::Int8, {0.037F, 3, 0}},
                                           {QuantType::Int8, {Limits::min(), 0, 0}},
                                           {QuantType::UInt4, {0.5F, 3, 0}},
                                           {QuantType::Int16, {0.01F, 0, 0}},
                                           {QuantType::Float8E4M3, {0.037F, 0, 0}},
                                           {QuantType::Float8E5M2, {1.7e-38F, 0, 0}},
                                           {QuantType::Float16, {}},
                                           {QuantType::BFloat16, {}},
                                           {QuantType::Ternary, {0.8F, 0, 0.4F}},
                                           {QuantType::Binary, {0.7F, 0, 0}}};
  return all;
}

constexpr std::size_t kPlaces[] = {0, 3};

// The fault of a kernel, or nothing: every case, length and alignment against the twin.
QString roundingFault(const RoundingKernel& kernel, std::int64_t target, bool flush) {
  for (const TypeOnGrid& entry : provenTypes()) {
    const Codes codes = Codes::of(entry.type);
    for (const std::size_t length : kernelLengths()) {
      const std::vector<float> in = hardNumbers(codes, entry.grid, length);
      const std::vector<float> expected = mapped(in, codes, entry.grid);
      for (const std::size_t offset : kPlaces) {
        GuardedArray<float> source(in, offset);
        GuardedArray<float> result(length, offset / 2);
        {
          const KernelMode mode(target, flush);
          kernel(source.span(), result.span(), codes, entry.grid);
        }
        const std::ptrdiff_t at = firstDifference(result.span(), expected);
        if (at >= 0 || !result.guardsHold() || !source.guardsHold()) {
          return QString("%1, %2 elements, at %3").arg(name(entry.type).data()).arg(length).arg(at);
        }
      }
    }
  }
  return {};
}

// A kernel that maps one number after the other.
RoundingKernel elementwise(TypeTwin function) {
  return [function](Input in, Output out, const Codes& codes, const Grid& grid) {
    std::ranges::transform(in, out.begin(), [&](float x) { return function(x, codes, grid); });
  };
}

double codeOf(double steps, const Codes& codes, const Grid& grid) {
  return std::clamp<double>(steps + grid.zeroPoint, codes.qmin, codes.qmax);
}

float realOf(double code, const Grid& grid) {
  return static_cast<float>((code - grid.zeroPoint) * double{grid.scale});
}

float quotientOf(float x, const Grid& grid) {
  return static_cast<float>(double{x} / double{grid.scale});
}

// The twin, but for integers and finite numbers what `steps` says.
template <class Steps>
float withSteps(float x, const Codes& codes, const Grid& grid, const Steps& steps) {
  if (!isInteger(codes.type) || std::isnan(x)) return typeTwin(x, codes, grid);
  return realOf(codeOf(steps(), codes, grid), grid);
}

float tiesAway(float x, const Codes& codes, const Grid& grid) {
  return withSteps(x, codes, grid, [&] { return std::round(quotientOf(x, grid)); });
}

float cutsOff(float x, const Codes& codes, const Grid& grid) {
  return withSteps(x, codes, grid, [&] { return std::trunc(quotientOf(x, grid)); });
}

float multipliesByInverse(float x, const Codes& codes, const Grid& grid) {
  return withSteps(x, codes, grid, [&] { return std::nearbyint(x * (1.0F / grid.scale)); });
}

float roundsAfterZeroPoint(float x, const Codes& codes, const Grid& grid) {
  return withSteps(x, codes, grid, [&] {
    return std::nearbyint(double{quotientOf(x, grid)} + grid.zeroPoint) - grid.zeroPoint;
  });
}

float forgetsZeroPoint(float x, const Codes& codes, const Grid& grid) {
  return isInteger(codes.type) ? typeTwin(x, codes, {grid.scale, 0, 0}) : typeTwin(x, codes, grid);
}

float doesNotSaturate(float x, const Codes& codes, const Grid& grid) {
  if (!isInteger(codes.type) || !std::isfinite(x)) return typeTwin(x, codes, grid);
  return realOf(std::nearbyint(quotientOf(x, grid)) + grid.zeroPoint, grid);
}

float wrapsAround(float x, const Codes& codes, const Grid& grid) {
  if (!isInteger(codes.type) || !(std::abs(x) < 1e6F * grid.scale)) return typeTwin(x, codes, grid);
  const auto code = static_cast<int>(std::nearbyint(quotientOf(x, grid))) + grid.zeroPoint;
  const int levels = codes.qmax - codes.qmin + 1;
  return realOf(((code - codes.qmin) % levels + levels) % levels + codes.qmin, grid);
}

float dropsTheLowestCode(float x, const Codes& codes, const Grid& grid) {
  return typeTwin(x, {codes.type, codes.qmin + 1, codes.qmax}, grid);
}

float takesNanForZero(float x, const Codes& codes, const Grid& grid) {
  return typeTwin(std::isnan(x) ? 0.0F : x, codes, grid);
}

float changesNan(float x, const Codes& codes, const Grid& grid) {
  return std::isnan(x) ? Limits::quiet_NaN() : typeTwin(x, codes, grid);
}

float takesInfinityForNan(float x, const Codes& codes, const Grid& grid) {
  return std::isinf(x) ? x - x : typeTwin(x, codes, grid);
}

float keepsMinusZero(float x, const Codes& codes, const Grid& grid) {
  return x == 0 && isInteger(codes.type) ? x : typeTwin(x, codes, grid);
}

float losesMinusZero(float x, const Codes& codes, const Grid& grid) {
  return typeTwin(x, codes, grid) + 0.0F;
}

float flushesDenormals(float x, const Codes& codes, const Grid& grid) {
  const bool denormal = std::fpclassify(x) == FP_SUBNORMAL;
  return typeTwin(denormal ? std::copysign(0.0F, x) : x, codes, grid);
}

float overflowsToInfinity(float x, const Codes& codes, const Grid& grid) {
  const bool isFloat8 = isFloatFormat(codes.type) && hasScale(codes.type);
  return isFloat8 && std::isinf(x) ? x : typeTwin(x, codes, grid);
}

float saturatesHalves(float x, const Codes& codes, const Grid& grid) {
  const float real = typeTwin(x, codes, grid);
  if (!std::isinf(real) || hasScale(codes.type)) return real;
  return std::copysign(largestNumber(codes.type), x);
}

float includesTheThreshold(float x, const Codes& codes, const Grid& grid) {
  const bool atThreshold = codes.type == QuantType::Ternary && std::abs(x) == grid.threshold;
  return atThreshold ? std::copysign(grid.scale, x) : typeTwin(x, codes, grid);
}

float takesMinusZeroForNegative(float x, const Codes& codes, const Grid& grid) {
  const bool minusZero = codes.type == QuantType::Binary && x == 0 && std::signbit(x);
  return minusZero ? -grid.scale : typeTwin(x, codes, grid);
}

// Divides floats: where the unit flushes denormals, the quotient of a denormal is 0.
void trustsTheUnit(Input in, Output out, const Codes& codes, const Grid& grid) {
  fakeQuantize(in, out, codes, grid);
  if (codes.type != QuantType::Int8) return;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double steps = std::nearbyint(in[i] / grid.scale);
    if (!std::isnan(in[i])) out[i] = realOf(codeOf(steps, codes, grid), grid);
  }
}

// The real kernel on a part of the array.
RoundingKernel onPart(std::size_t (*first)(std::size_t), std::size_t (*end)(std::size_t)) {
  return [first, end](Input in, Output out, const Codes& codes, const Grid& grid) {
    const std::size_t begin = std::min(first(in.size()), end(in.size()));
    const std::size_t count = end(in.size()) - begin;
    fakeQuantize(in.subspan(begin, count), out.subspan(begin, count), codes, grid);
  };
}

void writesBeyondItsEnd(Input in, Output out, const Codes& codes, const Grid& grid) {
  fakeQuantize(in, out, codes, grid);
  if (out.size() % 4 == 3) out.data()[out.size()] = 0;
}

void writesIntoItsInput(Input in, Output out, const Codes& codes, const Grid& grid) {
  fakeQuantize(in, out, codes, grid);
  const_cast<float*>(in.data())[in.size()] = 0;
}

void shiftsByOne(Input in, Output out, const Codes& codes, const Grid& grid) {
  fakeQuantize(in, out, codes, grid);
  if (out.size() > 64) std::rotate(out.begin() + 63, out.end() - 1, out.end());
}

struct WrongRounding {
  const char* what;
  RoundingKernel kernel;
};

std::size_t nothing(std::size_t) {
  return 0;
}

const std::vector<WrongRounding>& wrongRoundings() {
  static const std::vector<WrongRounding> all{
      {"ties away from zero", elementwise(tiesAway)},
      {"cuts off", elementwise(cutsOff)},
      {"multiplies by the inverse of the scale", elementwise(multipliesByInverse)},
      {"rounds after the zero point", elementwise(roundsAfterZeroPoint)},
      {"forgets the zero point", elementwise(forgetsZeroPoint)},
      {"does not saturate", elementwise(doesNotSaturate)},
      {"wraps around", elementwise(wrapsAround)},
      {"drops the lowest code", elementwise(dropsTheLowestCode)},
      {"takes NaN for 0", elementwise(takesNanForZero)},
      {"changes the bits of NaN", elementwise(changesNan)},
      {"takes infinity for NaN", elementwise(takesInfinityForNan)},
      {"keeps the sign of -0", elementwise(keepsMinusZero)},
      {"loses the sign of -0", elementwise(losesMinusZero)},
      {"takes denormals for 0", elementwise(flushesDenormals)},
      {"FP8 overflows to infinity", elementwise(overflowsToInfinity)},
      {"halves saturate", elementwise(saturatesHalves)},
      {"the threshold itself is no 0", elementwise(includesTheThreshold)},
      {"-0 is negative", elementwise(takesMinusZeroForNegative)},
      {"float formats cut off", elementwise(truncatingTwin)},
      {"float formats without subnormals", elementwise(flushingTwin)},
      {"leaves the last out", onPart(nothing, [](std::size_t n) { return n - (n > 0); })},
      {"leaves the tail out", onPart(nothing, [](std::size_t n) { return n - n % 16; })},
      {"leaves the first out",
       onPart([](std::size_t) { return std::size_t{1}; }, [](std::size_t n) { return n; })},
      {"writes beyond its end", writesBeyondItsEnd},
      {"writes into its input", writesIntoItsInput},
      {"shifts by one", shiftsByOne},
  };
  return all;
}

}  // namespace

/// The comparison that the kernel has to pass, on the kernel and on ones that are wrong on purpose.
class FakeQuantizeMutantsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theKernelPasses_data() { addKernelModes(); }
  void theKernelPasses();
  void theTwinPasses();
  void everyMutantIsCaught_data();
  void everyMutantIsCaught();
  void trustInTheUnitIsCaught();
};

void FakeQuantizeMutantsTest::theKernelPasses() {
  QFETCH(qint64, target);
  QFETCH(bool, flush);
  const RoundingKernel kernel = [](Input in, Output out, const Codes& codes, const Grid& grid) {
    fakeQuantize(in, out, codes, grid);
  };
  QCOMPARE(roundingFault(kernel, target, flush), QString());
}

// So that a mutant is caught for what it does wrong, not for how it is written.
void FakeQuantizeMutantsTest::theTwinPasses() {
  QCOMPARE(roundingFault(elementwise(typeTwin), 0, false), QString());
}

void FakeQuantizeMutantsTest::everyMutantIsCaught_data() {
  QTest::addColumn<int>("index");
  for (std::size_t i = 0; i < wrongRoundings().size(); ++i) {
    QTest::newRow(wrongRoundings()[i].what) << static_cast<int>(i);
  }
}

void FakeQuantizeMutantsTest::everyMutantIsCaught() {
  QFETCH(int, index);
  QVERIFY(
      !roundingFault(wrongRoundings()[static_cast<std::size_t>(index)].kernel, 0, false).isEmpty());
}

void FakeQuantizeMutantsTest::trustInTheUnitIsCaught() {
  QCOMPARE(roundingFault(trustsTheUnit, 0, false), QString());
  QVERIFY(!roundingFault(trustsTheUnit, 0, true).isEmpty());
}

QUANTSCOPE_TEST(FakeQuantizeMutantsTest)
#include "test_fake_quantize_mutants.moc"
