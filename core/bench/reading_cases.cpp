#include "bench/reading_cases.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "calibration/histograms/linear_histogram.h"
#include "kernels/statistics/error_sums.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {
namespace {

constexpr std::size_t kReadBlocks = 4;
// The size of most samples of observers, which a second pass finds in the second-level cache, and
// the size of a large sample or a batch.
constexpr std::size_t kSampleBlocks = 1;
constexpr std::size_t kLargeSampleBlocks = 8;
constexpr std::size_t kReadRepeats = 64;

struct Cut {
  explicit Cut(std::size_t length, std::size_t blocks = kReadBlocks)
      : elements(length), piece(std::min(blocks * kKernelBlock, length)) {}

  std::size_t count() const { return (elements + piece - 1) / piece; }
  template <class Span>
  Span of(Span array, std::size_t i) const {
    return array.subspan(i * piece, std::min(piece, elements - i * piece));
  }

  std::size_t elements;
  std::size_t piece;
};

KernelCase readingCase(const std::string& name, const KernelArrays& arrays) {
  KernelCase result;
  result.name = name;
  result.limit = KernelLimit::Read;
  result.elements = result.computed = arrays.in.size();
  result.bytesPerElement = sizeof(float);
  result.pieces = Cut(arrays.in.size()).count();
  return result;
}

// Channels of [outer, channels, inner], each with the extremes of every piece.
struct RangeSetup {
  const char* name;
  std::size_t channels;  // 0 = as many as there are: channels on the first axis
  std::size_t inner;
};

constexpr RangeSetup kTensorRange{"min_max/per-tensor", 1, kKernelBlock};
constexpr RangeSetup kImageRanges{"min_max/per-channel", 256, kKernelBlock / 256};
constexpr RangeSetup kFirstAxisRanges{"min_max/per-channel:0", 0, 4096};
constexpr RangeSetup kLastAxisRanges{"min_max/per-channel:last", 1024, 1};

struct RangeRun {
  RangeSetup setup;
  std::size_t channels;
  std::vector<MinMax> found;
  std::mutex mutex;
};

void checkRanges(const RangeRun& run, std::span<const float> in) {
  std::vector<MinMax> expected(run.channels);
  for (std::size_t i = 0; i < in.size(); ++i) {
    MinMax& range = expected[i / run.setup.inner % run.channels];
    range.min = std::min(range.min, in[i]);
    range.max = std::max(range.max, in[i]);
  }
  for (std::size_t c = 0; c < run.channels; ++c) {
    if (run.found[c] == expected[c]) continue;
    refuseKernelAnswer(run.setup.name, "channel " + std::to_string(c) + " has the range " +
                                           std::to_string(run.found[c].min) + " to " +
                                           std::to_string(run.found[c].max));
  }
}

// A piece has channels of its own where they lie on the first axis, else some rows of all.
KernelCase rangeCase(const RangeSetup& setup, const KernelArrays& arrays) {
  const Cut cut(arrays.in.size());
  const auto run = std::make_shared<RangeRun>();
  run->setup = setup;
  run->channels = setup.channels == 0 ? cut.elements / setup.inner : setup.channels;
  KernelCase result = readingCase(setup.name, arrays);
  result.begin = [run] { run->found.assign(run->channels, {}); };
  result.run = [run, cut, in = arrays.in](std::size_t i) {
    const auto piece = cut.of(in, i);
    const std::size_t inner = run->setup.inner;
    const bool ownChannels = run->setup.channels == 0;
    const std::size_t channels = ownChannels ? piece.size() / inner : run->channels;
    std::vector<MinMax> ranges(channels);
    if (channels == 1) {
      ranges[0] = minMax(piece);
    } else {
      minMaxPerChannel(piece, {piece.size() / (channels * inner), channels, inner}, ranges);
    }
    const std::size_t first = ownChannels ? i * cut.piece / inner : 0;
    const std::lock_guard lock(run->mutex);
    for (std::size_t c = 0; c < channels; ++c) run->found[first + c].merge(ranges[c]);
  };
  result.check = [run, in = arrays.in](const Workers&) { checkRanges(*run, in); };
  return result;
}

// Three to make keys of bits, a minimum and a maximum.
constexpr int kRangeOperations = 5;

KernelCase residentRange(const KernelArrays& arrays, std::size_t threads) {
  const std::size_t elements = residentElements();
  const auto found =
      std::make_shared<std::vector<MinMax>>(std::min(threads, arrays.in.size() / kKernelBlock));
  KernelCase result;
  result.name = std::string(kTensorRange.name) + "/l2";
  result.limit = KernelLimit::Arithmetic;
  result.elements = elements;
  result.pieces = found->size();
  result.computed = elements * result.pieces * kReadRepeats;
  result.operations = kRangeOperations;
  result.run = [found, elements, in = arrays.in](std::size_t i) {
    const auto own = in.subspan(i * kKernelBlock, elements);
    for (std::size_t n = 0; n < kReadRepeats; ++n) (*found)[i] = minMax(own);
  };
  result.check = [found, elements, in = arrays.in](const Workers&) {
    const auto own = in.first(elements);
    const auto [min, max] = std::ranges::minmax(own);
    if ((*found)[0] != MinMax{min, max, 0}) {
      refuseKernelAnswer(std::string(kTensorRange.name) + "/l2", "the range of the first elements");
    }
  };
  return result;
}

struct HistogramRun {
  MinMax range;
  LinearHistogram histogram;
  std::mutex mutex;
};

void checkHistogram(const std::string& name, const HistogramRun& run, std::span<const float> in) {
  const LinearBins bins = run.histogram.bins(run.range.min, run.range.max);
  std::vector<std::uint64_t> expected(bins.counts.size());
  for (const float x : in) {
    const auto bin = static_cast<std::size_t>(std::floor((double{x} - bins.low) / bins.width));
    ++expected[std::min(bin, expected.size() - 1)];
  }
  for (std::size_t bin = 0; bin < expected.size(); ++bin) {
    if (bins.counts[bin] == expected[bin]) continue;
    refuseKernelAnswer(name, "bin " + std::to_string(bin) + " holds " +
                                 std::to_string(bins.counts[bin]) + " instead of " +
                                 std::to_string(expected[bin]));
  }
}

// Runs like an observer: the shared width follows from the elements seen so far.
KernelCase histogramCase(const std::string& name, std::size_t blocks, const KernelArrays& arrays) {
  const Cut cut(arrays.in.size(), blocks);
  const auto run = std::make_shared<HistogramRun>();
  KernelCase result = readingCase(name, arrays);
  result.pieces = cut.count();
  result.begin = [run] {
    run->range = {};
    run->histogram = {};
  };
  result.run = [run, cut, in = arrays.in](std::size_t i) {
    const auto piece = cut.of(in, i);
    const MinMax range = minMax(piece);
    LinearHistogram own;
    {
      const std::lock_guard lock(run->mutex);
      run->range.merge(range);
      run->histogram.widen(LinearHistogram::widthExponentFor(run->range.min, run->range.max));
      own.widen(run->histogram.widthExponent());
    }
    own.add(piece, range.min, range.max);
    const std::lock_guard lock(run->mutex);
    run->histogram.add(std::move(own));
  };
  result.check = [name, run, in = arrays.in](const Workers&) { checkHistogram(name, *run, in); };
  return result;
}

struct ErrorRun {
  ErrorSums total;
  std::mutex mutex;
};

void checkErrorSums(const ErrorSums& found, std::span<const float> in, std::span<const float> out) {
  ErrorSums expected;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = in[i];
    const double y = out[i];
    ++expected.count;
    expected.referenceSquared += x * x;
    expected.valueSquared += y * y;
    expected.product += x * y;
    expected.absoluteError += std::abs(y - x);
    expected.squaredError += (y - x) * (y - x);
    expected.maxAbsoluteError = std::max(expected.maxAbsoluteError, std::abs(y - x));
  }
  // Sums of up to 2^40 terms in another order differ by less than 2^40 roundings of 2^−53.
  const auto close = [](double a, double b) { return std::abs(a - b) <= 0x1p-13 * std::abs(b); };
  const bool right = found.count == expected.count && found.nonFinite == 0 &&
                     close(found.referenceSquared, expected.referenceSquared) &&
                     close(found.valueSquared, expected.valueSquared) &&
                     close(found.product, expected.product) &&
                     close(found.absoluteError, expected.absoluteError) &&
                     close(found.squaredError, expected.squaredError) &&
                     found.maxAbsoluteError == expected.maxAbsoluteError;
  if (!right) refuseKernelAnswer("error_sums", "a sum differs from that in plain order");
}

KernelCase errorCase(const KernelArrays& arrays) {
  const Cut cut(arrays.in.size());
  const auto run = std::make_shared<ErrorRun>();
  KernelCase result = readingCase("error_sums", arrays);
  result.bytesPerElement = 2 * sizeof(float);
  result.begin = [run] { run->total = {}; };
  result.run = [run, cut, arrays](std::size_t i) {
    const ErrorSums sums =
        errorSums(cut.of(arrays.in, i), cut.of(std::span<const float>(arrays.out), i));
    const std::lock_guard lock(run->mutex);
    run->total.add(sums);
  };
  result.check = [run, arrays](const Workers&) {
    checkErrorSums(run->total, arrays.in, arrays.out);
  };
  return result;
}

}  // namespace

std::vector<KernelCase> readingCases(const KernelArrays& arrays, std::size_t threads) {
  std::vector<KernelCase> cases;
  for (const RangeSetup& setup : {kTensorRange, kImageRanges, kFirstAxisRanges, kLastAxisRanges}) {
    cases.push_back(rangeCase(setup, arrays));
  }
  cases.push_back(residentRange(arrays, threads));
  cases.push_back(histogramCase("histogram/2048", kSampleBlocks, arrays));
  cases.push_back(histogramCase("histogram/2048/large", kLargeSampleBlocks, arrays));
  cases.push_back(errorCase(arrays));
  return cases;
}

}  // namespace quantscope
