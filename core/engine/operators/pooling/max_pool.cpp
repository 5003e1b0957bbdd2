#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/pooling/pooling.h"
#include "engine/operators/pooling/pooling_loops.h"
#include "kernels/statistics/row_folds.h"

namespace quantscope {
namespace {

using Taps = std::span<const WindowWalker::Tap>;
using Starts = std::vector<std::int64_t>;

template <class T>
void largestPerChannel(Taps taps, const T* rows, std::int64_t channels, Starts& /*starts*/,
                       T* best) {
  std::fill_n(best, channels, std::numeric_limits<T>::lowest());
  for (const WindowWalker::Tap& tap : taps) {
    const T* row = rows + tap.source * channels;
    for (std::int64_t c = 0; c < channels; ++c) best[c] = row[c] > best[c] ? row[c] : best[c];
  }
}

void largestPerChannel(Taps taps, const float* rows, std::int64_t channels, Starts& starts,
                       float* best) {
  largestOfRows(rows, rowStarts(taps, channels, starts),
                {best, static_cast<std::size_t>(channels)});
}

template <class T>
Tensor maxPool(const Tensor& x, const Window& window) {
  Tensor y(x.type(), pooledShape(x.shape(), window), Layout::ChannelsLast);
  const std::int64_t channels = x.shape()[1];
  forEachPooledRow<T>(x, window, y, [channels] {
    return [channels, starts = Starts()](std::int64_t, std::int64_t, Taps taps, const T* rows,
                                         T* best) mutable {
      largestPerChannel(taps, rows, channels, starts, best);
    };
  });
  return y;
}

// Spatial index with the first spatial axis varying fastest.
std::int64_t columnMajor(std::int64_t rowMajor, const Shape& shape) {
  std::int64_t result = 0;
  std::int64_t stride = shape.elementCount(2, shape.rank());
  for (std::size_t axis = shape.rank(); axis-- > 2;) {
    stride /= shape[axis];
    result += rowMajor % shape[axis] * stride;
    rowMajor /= shape[axis];
  }
  return result;
}

template <class T>
void maxPoolWithIndices(const Tensor& x, const Window& window, bool columnsFirst, Tensor& y,
                        Tensor& indices) {
  y = Tensor(x.type(), pooledShape(x.shape(), window), Layout::ChannelsLast);
  indices = Tensor(ElementType::Int64, y.shape(), Layout::ChannelsLast);
  const std::int64_t channels = x.shape()[1];
  const std::int64_t inputs = x.shape().elementCount(2, x.shape().rank());
  const std::int64_t outputs = window.positions();
  std::int64_t* places = indices.mutableValues<std::int64_t>().data();
  const auto visit = [&](std::int64_t n, std::int64_t position, Taps taps, const T* rows, T* best) {
    Starts starts;
    largestPerChannel(taps, rows, channels, starts, best);
    std::int64_t* place = places + (n * outputs + position) * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto first = std::ranges::find_if(taps, [&](const WindowWalker::Tap& tap) {
        return rows[tap.source * channels + c] == best[c];
      });
      const std::int64_t source = first == taps.end() ? 0 : first->source;
      place[c] =
          (n * channels + c) * inputs + (columnsFirst ? columnMajor(source, x.shape()) : source);
    }
  };
  forEachPooledRow<T>(x, window, y, [&visit] { return std::cref(visit); });
}

template <class Function>
void visitPoolableType(ElementType type, const Function& function) {
  switch (type) {
    case ElementType::Float32:
      return function.template operator()<float>();
    case ElementType::Float64:
      return function.template operator()<double>();
    case ElementType::Int8:
      return function.template operator()<std::int8_t>();
    case ElementType::UInt8:
      return function.template operator()<std::uint8_t>();
    default:
      throw Error(ErrorCode::UnsupportedType,
                  "max pooling of " + std::string(name(type)) + " is not defined");
  }
}

}  // namespace

std::unique_ptr<Kernel> makeMaxPool(const Node& node, const Graph& /*graph*/) {
  const WindowAttributes attributes(node);
  const bool columnsFirst = node.integer("storage_order", 0) != 0;
  const auto run = [attributes, columnsFirst](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor x = toLayout(requiredInput(inputs, 0), Layout::ChannelsLast);
    const Window window = attributes.resolve(x.shape(), attributes.kernel());
    visitPoolableType(x.type(), [&]<class T>() {
      if (outputs.size() > 1) {
        maxPoolWithIndices<T>(x, window, columnsFirst, outputs[0], outputs[1]);
      } else {
        setOutput(outputs, 0, maxPool<T>(x, window));
      }
    });
  };
  return makeKernel(run, Kernel::InputLayout::ChannelsLast);
}

std::unique_ptr<Kernel> makeGlobalMaxPool(const Node& /*node*/, const Graph& /*graph*/) {
  const auto run = [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor x = toLayout(requiredInput(inputs, 0), Layout::ChannelsLast);
    const Window window = globalWindow(x.shape());
    visitPoolableType(x.type(), [&]<class T>() { setOutput(outputs, 0, maxPool<T>(x, window)); });
  };
  return makeKernel(run, Kernel::InputLayout::ChannelsLast);
}

}  // namespace quantscope
