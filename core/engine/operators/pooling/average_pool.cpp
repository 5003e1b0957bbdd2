#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/pooling/pooling.h"
#include "engine/operators/pooling/pooling_loops.h"
#include "kernels/statistics/row_folds.h"

namespace quantscope {
namespace {

using Taps = std::span<const WindowWalker::Tap>;

// Rows that are added up in T; where there are more, their sums are added up in double.
constexpr std::size_t kBlock = 64;

struct Value {
  template <class T>
  T operator()(T value) const {
    return value;
  }
};

// Room that one position leaves to the next.
struct Scratch {
  explicit Scratch(std::int64_t channels) : total(static_cast<std::size_t>(channels)) {}
  std::vector<double> total;  // one per channel
  std::vector<std::int64_t> starts;
};

// sum[c] = Σ term(row[c]) over the rows of a few taps.
template <class T, class Term>
void sumBlock(Taps taps, const T* rows, std::int64_t channels, const Term& term, Scratch& scratch,
              T* sum) {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<Term, Value>) {
    return sumOfRows(rows, rowStarts(taps, channels, scratch.starts),
                     {sum, static_cast<std::size_t>(channels)});
  }
  std::fill_n(sum, channels, T{0});
  for (const WindowWalker::Tap& tap : taps) {
    const T* row = rows + tap.source * channels;
    for (std::int64_t c = 0; c < channels; ++c) sum[c] += term(row[c]);
  }
}

// The same over any number of taps.
template <class T, class Term>
void sumRows(Taps taps, const T* rows, std::int64_t channels, const Term& term, Scratch& scratch,
             T* sum) {
  if (taps.size() <= kBlock) return sumBlock(taps, rows, channels, term, scratch, sum);
  std::vector<double>& total = scratch.total;
  std::ranges::fill(total, 0.0);
  for (std::size_t first = 0; first < taps.size(); first += kBlock) {
    sumBlock(taps.subspan(first, std::min(kBlock, taps.size() - first)), rows, channels, term,
             scratch, sum);
    for (std::size_t c = 0; c < total.size(); ++c) total[c] += static_cast<double>(sum[c]);
  }
  for (std::size_t c = 0; c < total.size(); ++c) sum[c] = static_cast<T>(total[c]);
}

template <class T>
Tensor averagePool(const Tensor& x, const Window& window, bool countPadding) {
  Tensor y(x.type(), pooledShape(x.shape(), window), Layout::ChannelsLast);
  const std::int64_t channels = x.shape()[1];
  const WindowWalker counter(window);
  const auto visit = [&](Scratch& scratch, std::int64_t position, Taps taps, const T* rows,
                         T* mean) {
    sumRows(taps, rows, channels, Value{}, scratch, mean);
    const auto seen = static_cast<std::int64_t>(taps.size());
    const std::int64_t count = countPadding ? counter.paddedTaps(position) : seen;
    const T divisor = static_cast<T>(std::max<std::int64_t>(1, count));
    for (std::int64_t c = 0; c < channels; ++c) mean[c] /= divisor;
  };
  forEachPooledRow<T>(x, window, y, [&] {
    return [&, scratch = Scratch(channels)](std::int64_t, std::int64_t position, Taps taps,
                                            const T* rows, T* mean) mutable {
      visit(scratch, position, taps, rows, mean);
    };
  });
  return y;
}

template <class T>
Tensor lpPool(const Tensor& x, const Window& window, double p) {
  Tensor y(x.type(), pooledShape(x.shape(), window), Layout::ChannelsLast);
  const std::int64_t channels = x.shape()[1];
  const T exponent = static_cast<T>(p);
  const auto visit = [&](Scratch& scratch, Taps taps, const T* rows, T* result) {
    if (p == 2) {
      sumRows(
          taps, rows, channels, [](T value) { return value * value; }, scratch, result);
    } else {
      const auto power = [exponent](T value) { return std::pow(std::abs(value), exponent); };
      sumRows(taps, rows, channels, power, scratch, result);
    }
    for (std::int64_t c = 0; c < channels; ++c) result[c] = std::pow(result[c], 1 / exponent);
  };
  forEachPooledRow<T>(x, window, y, [&] {
    return
        [&, scratch = Scratch(channels)](std::int64_t, std::int64_t, Taps taps, const T* rows,
                                         T* result) mutable { visit(scratch, taps, rows, result); };
  });
  return y;
}

// Version 1 has the exponent as a real number.
double readExponent(const Node& node) {
  const Attribute* attribute = node.find("p");
  const bool real = attribute != nullptr && std::holds_alternative<float>(attribute->data);
  const double p = real ? node.real("p", 2) : static_cast<double>(node.integer("p", 2));
  if (p > 0) return p;
  throw Error(ErrorCode::InvalidModel, node.op + " has an exponent that is not positive");
}

// Float64 inputs run in double, all others must be float32.
template <class Function>
void visitRealType(const Tensor& x, const Function& function) {
  if (x.type() == ElementType::Float64) {
    function.template operator()<double>();
  } else {
    function.template operator()<float>();
  }
}

}  // namespace

std::unique_ptr<Kernel> makeAveragePool(const Node& node, const Graph& /*graph*/) {
  const WindowAttributes attributes(node);
  const bool countPadding = node.integer("count_include_pad", 0) != 0;
  const auto run = [attributes, countPadding](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor x = toLayout(requiredInput(inputs, 0), Layout::ChannelsLast);
    const Window window = attributes.resolve(x.shape(), attributes.kernel());
    visitRealType(
        x, [&]<class T>() { setOutput(outputs, 0, averagePool<T>(x, window, countPadding)); });
  };
  return makeKernel(run, Kernel::InputLayout::ChannelsLast);
}

std::unique_ptr<Kernel> makeLpPool(const Node& node, const Graph& /*graph*/) {
  const WindowAttributes attributes(node);
  const double p = readExponent(node);
  const auto run = [attributes, p](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor x = toLayout(requiredInput(inputs, 0), Layout::ChannelsLast);
    const Window window = attributes.resolve(x.shape(), attributes.kernel());
    visitRealType(x, [&]<class T>() { setOutput(outputs, 0, lpPool<T>(x, window, p)); });
  };
  return makeKernel(run, Kernel::InputLayout::ChannelsLast);
}

std::unique_ptr<Kernel> makeGlobalAveragePool(const Node& /*node*/, const Graph& /*graph*/) {
  const auto run = [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor x = toLayout(requiredInput(inputs, 0), Layout::ChannelsLast);
    const Window window = globalWindow(x.shape());
    visitRealType(x, [&]<class T>() { setOutput(outputs, 0, averagePool<T>(x, window, false)); });
  };
  return makeKernel(run, Kernel::InputLayout::ChannelsLast);
}

std::unique_ptr<Kernel> makeGlobalLpPool(const Node& node, const Graph& /*graph*/) {
  const double p = readExponent(node);
  const auto run = [p](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor x = toLayout(requiredInput(inputs, 0), Layout::ChannelsLast);
    const Window window = globalWindow(x.shape());
    visitRealType(x, [&]<class T>() { setOutput(outputs, 0, lpPool<T>(x, window, p)); });
  };
  return makeKernel(run, Kernel::InputLayout::ChannelsLast);
}

}  // namespace quantscope
