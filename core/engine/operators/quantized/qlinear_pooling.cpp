// QLinearAveragePool computes on dequantized values, one element after the other; of
// QLinearGlobalAveragePool the sum of the codes is exact.

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/operators/operands.h"
#include "engine/operators/quantized/code_rounding.h"
#include "engine/operators/quantized/microsoft_quantized.h"
#include "engine/operators/window_walker.h"

namespace quantscope {
namespace {

// [N, D1, …, C] as [N, C, D1, …], and back; both share the elements.
Tensor channelsSecond(const Tensor& x) {
  const Shape& shape = x.shape();
  Shape logical{shape[0], shape.back()};
  for (std::size_t i = 1; i + 1 < shape.rank(); ++i) logical.append(shape[i]);
  return toLayout(x.reinterpreted(logical, Layout::ChannelsLast), Layout::Plain);
}

Tensor channelsBehind(const Tensor& y) {
  const Shape& shape = y.shape();
  Shape behind{shape[0]};
  for (std::size_t i = 2; i < shape.rank(); ++i) behind.append(shape[i]);
  behind.append(shape[1]);
  return toLayout(y, Layout::ChannelsLast).reinterpreted(behind, Layout::Plain);
}

Tensor pooledOverAll(const Tensor& x, const CodeGrid& from, const CodeGrid& to) {
  Shape shape = x.shape();
  for (std::size_t i = 2; i < shape.rank(); ++i) shape[i] = 1;
  Tensor y(x.type(), shape);
  const auto count = static_cast<std::size_t>(x.shape().elementCount(2, shape.rank()));
  const float scale = from.scale / (to.scale * static_cast<float>(count));
  visitByteCodes(x.type(), [&]<class T>() {
    for (std::size_t i = 0; i < y.elementCount(); ++i) {
      std::int64_t sum = -static_cast<std::int64_t>(count) * from.zeroPoint;
      for (const T code : x.values<T>().subspan(i * count, count)) sum += code;
      y.mutableValues<T>()[i] = roundToCode<T>(static_cast<float>(sum) * scale, to.zeroPoint);
    }
  });
  return y;
}

Tensor pooled(const Tensor& x, const CodeGrid& from, const CodeGrid& to, const Window& window,
              bool countPadding) {
  Shape shape{x.shape()[0], x.shape()[1]};
  for (const WindowAxis& axis : window.axes) shape.append(axis.output);
  Tensor y(x.type(), shape);
  const auto planes = static_cast<std::size_t>(shape[0] * shape[1]);
  const auto inputs = static_cast<std::size_t>(x.shape().elementCount(2, shape.rank()));
  const auto positions = static_cast<std::size_t>(window.positions());
  WindowWalker walker(window);
  visitByteCodes(x.type(), [&]<class T>() {
    for (std::size_t position = 0; position < positions; ++position) {
      const auto taps = walker.at(static_cast<std::int64_t>(position));
      const auto count = countPadding ? window.taps() : static_cast<std::int64_t>(taps.size());
      for (std::size_t plane = 0; plane < planes; ++plane) {
        const T* codes = x.values<T>().data() + plane * inputs;
        float sum = 0;
        for (const WindowWalker::Tap& tap : taps) {
          sum += from.scale * static_cast<float>(codes[tap.source] - from.zeroPoint);
        }
        const float mean = sum / static_cast<float>(std::max<std::int64_t>(count, 1));
        // The zero point is added before rounding, so ties round to even codes.
        y.mutableValues<T>()[plane * positions + position] =
            roundToCode<T>(mean / to.scale + static_cast<float>(to.zeroPoint), 0);
      }
    }
  });
  return y;
}

template <class Pool>
std::unique_ptr<Kernel> pooling(bool channelsLast, const Pool& pool) {
  return makeKernel([=](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor& given = requiredInput(inputs, 0);
    if (given.shape().rank() < 3) {
      throw Error(ErrorCode::InvalidParameters,
                  "an input of shape " + toString(given.shape()) + " has no spatial axes to pool");
    }
    const Tensor x = channelsLast ? channelsSecond(given) : given;
    const Tensor y = pool(x, CodeGrid(inputs, 1), CodeGrid(inputs, 3));
    setOutput(outputs, 0, channelsLast ? channelsBehind(y) : y);
  });
}

std::unique_ptr<Kernel> globalAveragePool(const Node& node, const Graph& /*graph*/) {
  return pooling(node.integer("channels_last", 0) != 0, pooledOverAll);
}

std::unique_ptr<Kernel> averagePool(const Node& node, const Graph& /*graph*/) {
  const WindowAttributes attributes(node);
  const bool countPadding = node.integer("count_include_pad", 0) != 0;
  return pooling(node.integer("channels_last", 0) != 0,
                 [=](const Tensor& x, const CodeGrid& from, const CodeGrid& to) {
                   const Window window = attributes.resolve(x.shape(), attributes.kernel());
                   return pooled(x, from, to, window, countPadding);
                 });
}

}  // namespace

void registerQLinearPooling(OperatorRegistry& registry) {
  registry.add("QLinearGlobalAveragePool", {1}, globalAveragePool, "com.microsoft");
  registry.add("QLinearAveragePool", {1}, averagePool, "com.microsoft");
}

}  // namespace quantscope
