#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/operators/operands.h"
#include "engine/operators/reductions/reducers.h"
#include "engine/operators/reductions/reduction_view.h"
#include "engine/operators/reductions/reductions.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

using Integers = std::vector<std::int64_t>;
using WideTypes = TypeList<float, double, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;

// Independent accumulators that a vector unit can advance together.
constexpr std::int64_t kLanes = 8;
// Columns that are reduced together: their accumulators stay in the first-level cache.
constexpr std::int64_t kColumns = 256;
// Rows that may be added up in float32 (see ColumnSumOf) before a double takes the sum over: the
// rounding of longer sums grows without bound.
constexpr std::int64_t kBlockRows = 512;

// One contiguous run. Lanes are merged in a fixed order.
template <class Reducer, class T>
T reduceRun(const T* x, std::int64_t count) {
  std::array<typename Reducer::Accumulator, kLanes> lanes;
  lanes.fill(Reducer::start());
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      auto& accumulator = lanes[static_cast<std::size_t>(lane)];
      accumulator = Reducer::add(accumulator, x[i + lane]);
    }
  }
  auto total = lanes[0];
  for (std::size_t lane = 1; lane < lanes.size(); ++lane) {
    total = Reducer::merge(total, lanes[lane]);
  }
  for (; i < count; ++i) total = Reducer::add(total, x[i]);
  return Reducer::finish(total, count);
}

// Adds `rows` ≤ kBlockRows rows of `columns` ≤ kColumns neighbouring columns up.
template <class Reducer, class T>
void reduceBlock(const T* x, std::int64_t rows, std::int64_t stride,
                 std::span<typename Reducer::Accumulator> accumulators) {
  for (std::int64_t row = 0; row < rows; ++row, x += stride) {
    for (std::size_t i = 0; i < accumulators.size(); ++i) {
      accumulators[i] = Reducer::add(accumulators[i], x[i]);
    }
  }
}

// The same for any number of rows: blocks by the reducer for columns, merged by the other one.
template <class Reducer, class T>
void reduceColumns(const T* x, T* y, std::int64_t rows, std::int64_t stride, std::size_t columns) {
  using InBlock = typename Reducer::InColumns;
  std::array<typename InBlock::Accumulator, kColumns> block;
  std::array<typename Reducer::Accumulator, kColumns> total;
  std::fill_n(total.begin(), columns, Reducer::start());
  for (std::int64_t row = 0; row < rows; row += kBlockRows) {
    std::fill_n(block.begin(), columns, InBlock::start());
    reduceBlock<InBlock>(x + row * stride, std::min(kBlockRows, rows - row), stride,
                         std::span(block).first(columns));
    for (std::size_t i = 0; i < columns; ++i) {
      total[i] = Reducer::merge(total[i], static_cast<typename Reducer::Accumulator>(block[i]));
    }
  }
  for (std::size_t i = 0; i < columns; ++i) y[i] = Reducer::finish(total[i], rows);
}

template <class Reducer, class T>
void reduceView(const ReductionView& view, const T* x, T* y) {
  if (view.inner == 1) {
    for (std::int64_t i = 0; i < view.outer; ++i) {
      y[i] = reduceRun<Reducer>(x + i * view.reduced, view.reduced);
    }
    return;
  }
  for (std::int64_t i = 0; i < view.outer; ++i) {
    const T* from = x + i * view.reduced * view.inner;
    for (std::int64_t column = 0; column < view.inner; column += kColumns) {
      const std::int64_t columns = std::min(kColumns, view.inner - column);
      reduceColumns<Reducer>(from + column, y + i * view.inner + column, view.reduced, view.inner,
                             static_cast<std::size_t>(columns));
    }
  }
}

// ln Σ exp(x) = m + ln Σ exp(x − m) with the largest element m, which keeps exp in range; where m
// is infinite it is the result itself.
template <class T>
void logSumExp(const ReductionView& view, const T* x, T* y) {
  reduceView<MaxReducer<T>>(view, x, y);
  std::vector<double> sums(static_cast<std::size_t>(view.inner));
  for (std::int64_t i = 0; i < view.outer; ++i, y += view.inner) {
    std::ranges::fill(sums, 0.0);
    for (std::int64_t row = 0; row < view.reduced; ++row, x += view.inner) {
      for (std::size_t j = 0; j < sums.size(); ++j) {
        sums[j] += std::exp(static_cast<double>(x[j]) - static_cast<double>(y[j]));
      }
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const auto largest = static_cast<double>(y[j]);
      if (std::isfinite(largest)) y[j] = converted<T>(largest + std::log(sums[j]));
    }
  }
}

struct ReduceSettings {
  explicit ReduceSettings(const Node& node)
      : axes(node, "axes", 1),
        keepAxes(node.integer("keepdims", 1) != 0),
        emptyKeepsAll(node.integer("noop_with_empty_axes", 0) != 0) {}
  IntegersOperand axes;
  bool keepAxes;
  bool emptyKeepsAll;
};

Integers allAxes(std::size_t rank) {
  Integers axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

template <class Types, class Reduction>
void runReduction(const ReduceSettings& settings, std::span<Tensor> inputs,
                  std::span<Tensor> outputs, const Reduction& reduction) {
  const Tensor& x = requiredInput(inputs, 0);
  Integers axes = settings.axes.read(inputs).value_or(Integers{});
  // If nothing is reduced, every element is a reduction of its own: its square, its logarithm.
  if (axes.empty() && !settings.emptyKeepsAll) axes = allAxes(x.shape().rank());
  const ReductionView view = viewReduction(x, axes, settings.keepAxes);
  Tensor result(x.type(), view.shape, view.layout);
  visitTypes(Types{}, x.type(), [&]<class T>() {
    reduction(view, view.source.values<T>().data(), result.mutableValues<T>().data());
  });
  setOutput(outputs, 0, std::move(result));
}

template <class Types, template <class> class Reducer>
std::unique_ptr<Kernel> reduce(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [settings = ReduceSettings(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        runReduction<Types>(settings, inputs, outputs,
                            []<class T>(const ReductionView& view, const T* x, T* y) {
                              reduceView<Reducer<T>>(view, x, y);
                            });
      },
      Kernel::InputLayout::Any);
}

std::unique_ptr<Kernel> reduceLogSumExp(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [settings = ReduceSettings(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        runReduction<WideTypes>(
            settings, inputs, outputs,
            []<class T>(const ReductionView& view, const T* x, T* y) { logSumExp(view, x, y); });
      },
      Kernel::InputLayout::Any);
}

}  // namespace

void registerReduce(OperatorRegistry& registry) {
  registry.add("ReduceSum", {1, 11, 13}, reduce<WideTypes, SumReducer>);
  registry.add("ReduceMean", {1, 11, 13, 18}, reduce<WideTypes, MeanReducer>);
  registry.add("ReduceProd", {1, 11, 13, 18}, reduce<WideTypes, ProdReducer>);
  registry.add("ReduceL1", {1, 11, 13, 18}, reduce<WideTypes, L1Reducer>);
  registry.add("ReduceL2", {1, 11, 13, 18}, reduce<WideTypes, L2Reducer>);
  registry.add("ReduceLogSum", {1, 11, 13, 18}, reduce<WideTypes, LogSumReducer>);
  registry.add("ReduceLogSumExp", {1, 11, 13, 18}, reduceLogSumExp);
  registry.add("ReduceSumSquare", {1, 11, 13, 18}, reduce<WideTypes, SumSquareReducer>);
  registry.add("ReduceMax", {1, 11, 12, 13, 18, 20}, reduce<AllTypes, MaxReducer>);
  registry.add("ReduceMin", {1, 11, 12, 13, 18, 20}, reduce<AllTypes, MinReducer>);
}

}  // namespace quantscope
