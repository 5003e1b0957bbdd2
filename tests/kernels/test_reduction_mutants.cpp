#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kernels/codes/magnitude_sums.h"
#include "kernels/codes/scalar_float8.h"
#include "kernels/kernel_fixture.h"
#include "kernels/statistics/error_sums.h"
#include "kernels/statistics/linear_bins.h"
#include "kernels/statistics/min_max.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr int kWidthExponent = -2;
constexpr std::int32_t kFirstBin = -10;
constexpr std::size_t kBinCount = 21;
constexpr std::size_t kKindCount = 23;  // of numbers in an array, some of them special

/// The results of a pass over an array, as numbers, for any kernel.
using Findings = std::vector<double>;
using Reduction = std::function<Findings(Input)>;

Findings extremesOf(Input in) {
  const MinMax range = minMax(in);
  return {exactDouble(range.min), exactDouble(range.max), std::signbit(range.min) ? -1.0 : 1.0,
          static_cast<double>(range.nonFinite)};
}

Findings magnitudesOf(Input in) {
  const MagnitudeSums all = magnitudeSums(in);
  const MagnitudeSums large = magnitudeSums(in, 0.5F);
  return {static_cast<double>(large.count), large.sum, static_cast<double>(all.count), all.sum};
}

// The errors between an array and the same array backwards.
Findings errorsOf(Input in) {
  const std::vector<float> other(in.rbegin(), in.rend());
  const ErrorSums sums = errorSums(in, other);
  return {static_cast<double>(sums.count),
          static_cast<double>(sums.nonFinite),
          sums.product,
          sums.squaredError,
          sums.absoluteError,
          sums.maxAbsoluteError};
}

Findings binsOf(Input in) {
  std::vector<std::uint32_t> counts(kBinCount);
  addToLinearBins(in, kWidthExponent, kFirstBin, counts);
  return {counts.begin(), counts.end()};
}

bool isReal(float x) {
  return std::isfinite(x);
}

double flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? 0.0 : double{x};
}

// How often each is found: the definitions, in double and one by one.
Findings extremesTwin(Input in) {
  double min = Limits::max();
  double max = Limits::lowest();
  double nonFinite = 0;
  for (const float x : in) {
    if (!isReal(x)) {
      ++nonFinite;
      continue;
    }
    min = std::min(min, x == 0 ? 0.0 : double{x});
    max = std::max(max, x == 0 ? 0.0 : double{x});
  }
  return {min, max, std::signbit(min) ? -1.0 : 1.0, nonFinite};
}

Findings magnitudesTwin(Input in) {
  Findings sums(4);
  for (const float x : in) {
    if (!isReal(x)) continue;
    ++sums[2];
    sums[3] += std::abs(flushed(x));
    if (!(std::abs(x) > 0.5F)) continue;
    ++sums[0];
    sums[1] += std::abs(double{x});
  }
  return sums;
}

Findings errorsTwin(Input in) {
  Findings sums(6);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const float value = in[in.size() - 1 - i];
    const bool counts = isReal(in[i]) && isReal(value);
    ++sums[counts ? 0 : 1];
    if (!counts) continue;
    const double x = exactDouble(in[i]);
    const double error = exactDouble(value) - x;
    sums[2] += x * exactDouble(value);
    sums[3] += error * error;
    sums[4] += std::abs(error);
    sums[5] = std::max(sums[5], std::abs(error));
  }
  return sums;
}

Findings binsTwin(Input in) {
  Findings counts(kBinCount);
  for (const float x : in) {
    if (!isReal(x)) continue;
    const double bin = std::floor(std::ldexp(flushed(x), -kWidthExponent)) - kFirstBin;
    ++counts[static_cast<std::size_t>(std::clamp<double>(bin, 0, kBinCount - 1))];
  }
  return counts;
}

struct Pass {
  const char* name;
  Reduction kernel;
  Reduction twin;
};

const std::vector<Pass>& passes() {
  static const std::vector<Pass> all{{"min_max", extremesOf, extremesTwin},
                                     {"magnitude_sums", magnitudesOf, magnitudesTwin},
                                     {"error_sums", errorsOf, errorsTwin},
                                     {"linear_bins", binsOf, binsTwin}};
  return all;
}

// Eighths up to ±3 with all that is special strewn in: their sums and those of their squares are
// exact in double whatever the order, so that both sides must agree to the bit.
std::vector<float> exactNumbers(std::size_t count, std::size_t seed) {
  constexpr float kSpecial[] = {Limits::quiet_NaN(),
                                Limits::infinity(),
                                -Limits::infinity(),
                                -0.0F,
                                0.0F,
                                Limits::denorm_min(),
                                -Limits::min() / 2,
                                0.5F};
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = (i * 7 + seed * 5) % kKindCount;
    const auto eighths = static_cast<float>((i * 29 + seed) % 49);
    numbers[i] = kind < std::size(kSpecial) ? kSpecial[kind] : (eighths - 24) / 8;
  }
  return numbers;
}

// Where the pass goes wrong, or nothing.
QString reductionFault(const Reduction& reduction, const Reduction& twin, std::int64_t target,
                       bool flush) {
  for (const std::size_t length : kernelLengths()) {
    // So that each kind of number is once alone.
    const std::size_t seeds = length < 4 ? kKindCount : 5;
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const std::vector<float> in = exactNumbers(length, seed);
      const Findings expected = twin(in);
      for (const std::size_t offset : {0, 3}) {
        OffsetArray source(in, offset);
        Findings findings;
        {
          const KernelMode mode(target, flush);
          findings = reduction(source.span());
        }
        if (findings != expected) return QString("%1 elements").arg(length);
      }
    }
  }
  return {};
}

// The kernel on an array that a wrong one might see instead.
Reduction seeing(const Reduction& kernel, const std::function<void(std::vector<float>&)>& change) {
  return [kernel, change](Input in) {
    std::vector<float> numbers(in.begin(), in.end());
    change(numbers);
    return kernel(numbers);
  };
}

void replace(std::vector<float>& numbers, bool (*which)(float), float by) {
  std::replace_if(numbers.begin(), numbers.end(), which, by);
}

struct Change {
  const char* what;
  std::function<void(std::vector<float>&)> change;
};

const std::vector<Change>& changes() {
  static const std::vector<Change> all{
      {"leaves the last out",
       [](std::vector<float>& x) {
         if (!x.empty()) x.pop_back();
       }},
      {"leaves the first out",
       [](std::vector<float>& x) {
         if (!x.empty()) x.erase(x.begin());
       }},
      {"leaves the tail out", [](std::vector<float>& x) { x.resize(x.size() / 16 * 16); }},
      {"takes the last twice",
       [](std::vector<float>& x) {
         if (!x.empty()) x.push_back(x.back());
       }},
      {"fills the last vector with zeros",
       [](std::vector<float>& x) { x.resize((x.size() + 15) / 16 * 16); }},
      {"takes NaN for 0",
       [](std::vector<float>& x) {
         replace(
             x, [](float e) { return std::isnan(e); }, 0.0F);
       }},
      {"takes infinity for the largest",
       [](std::vector<float>& x) {
         replace(
             x, [](float e) { return e == Limits::infinity(); }, Limits::max());
       }},
      {"loses signs",
       [](std::vector<float>& x) {
         std::ranges::transform(x, x.begin(), [](float e) { return std::abs(e) + 0.25F; });
       }},
  };
  return all;
}

Findings extremesKeepMinusZero(Input in) {
  Findings findings = extremesOf(in);
  const bool zero = std::ranges::any_of(in, [](float x) { return x == 0 && std::signbit(x); });
  if (findings[0] == 0 && zero) findings[2] = -1;
  return findings;
}

Findings extremesStartAtZero(Input in) {
  Findings findings = extremesOf(in);
  findings[1] = std::max(findings[1], 0.0);
  return findings;
}

Findings magnitudesIncludeTheLimit(Input in) {
  Findings findings = magnitudesOf(in);
  for (const float x : in) findings[0] += std::abs(x) == 0.5F;
  return findings;
}

Findings binsCutOff(Input in) {
  std::vector<float> numbers(in.begin(), in.end());
  for (float& x : numbers) x = std::isfinite(x) ? std::trunc(x * 4) / 4 : x;
  return binsOf(numbers);
}

Findings binsAreClosedAbove(Input in) {
  std::vector<float> numbers(in.begin(), in.end());
  for (float& x : numbers) x = std::nextafterf(x, Limits::lowest());
  return binsOf(numbers);
}

Findings binsLoseWhatIsBeyond(Input in) {
  std::vector<float> numbers;
  std::ranges::copy_if(in, std::back_inserter(numbers), [](float x) { return std::abs(x) < 2.5F; });
  return binsOf(numbers);
}

Findings magnitudesKeepDenormals(Input in) {
  Findings findings = magnitudesOf(in);
  for (const float x : in) {
    findings[3] += std::fpclassify(x) == FP_SUBNORMAL ? std::abs(double{x}) * 0x1p140 : 0;
  }
  return findings;
}

struct Wrong {
  const char* what;
  Reduction reduction;
  Reduction twin;
};

const std::vector<Wrong>& wrongPasses() {
  static const std::vector<Wrong> all{
      {"min_max: keeps -0", extremesKeepMinusZero, extremesTwin},
      {"min_max: starts at 0", extremesStartAtZero, extremesTwin},
      {"magnitude_sums: the limit counts", magnitudesIncludeTheLimit, magnitudesTwin},
      {"magnitude_sums: denormals count", magnitudesKeepDenormals, magnitudesTwin},
      {"linear_bins: cuts off", binsCutOff, binsTwin},
      {"linear_bins: closed above", binsAreClosedAbove, binsTwin},
      {"linear_bins: loses what is beyond", binsLoseWhatIsBeyond, binsTwin},
  };
  return all;
}

}  // namespace

/// The comparison that passes over an array have to stand, and wrong ones that must not.
class ReductionMutantsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theKernelsPass_data() { addKernelModes(); }
  void theKernelsPass();
  void everyMutantIsCaught_data();
  void everyMutantIsCaught();
  void everyWrongPassIsCaught();
};

void ReductionMutantsTest::theKernelsPass() {
  QFETCH(qint64, target);
  QFETCH(bool, flush);
  for (const Pass& pass : passes()) {
    const QString fault = reductionFault(pass.kernel, pass.twin, target, flush);
    QVERIFY2(fault.isEmpty(), qPrintable(pass.name + QString(": ") + fault));
  }
}

void ReductionMutantsTest::everyMutantIsCaught_data() {
  QTest::addColumn<int>("pass");
  QTest::addColumn<int>("change");
  for (std::size_t p = 0; p < passes().size(); ++p) {
    for (std::size_t c = 0; c < changes().size(); ++c) {
      QTest::addRow("%s %s", passes()[p].name, changes()[c].what)
          << static_cast<int>(p) << static_cast<int>(c);
    }
  }
}

void ReductionMutantsTest::everyMutantIsCaught() {
  QFETCH(int, pass);
  QFETCH(int, change);
  const Pass& right = passes()[static_cast<std::size_t>(pass)];
  const Reduction wrong = seeing(right.kernel, changes()[static_cast<std::size_t>(change)].change);
  QVERIFY(!reductionFault(wrong, right.twin, 0, false).isEmpty());
}

void ReductionMutantsTest::everyWrongPassIsCaught() {
  for (const Wrong& wrong : wrongPasses()) {
    QVERIFY2(!reductionFault(wrong.reduction, wrong.twin, 0, false).isEmpty(), wrong.what);
  }
}

QUANTSCOPE_TEST(ReductionMutantsTest)
#include "test_reduction_mutants.moc"
