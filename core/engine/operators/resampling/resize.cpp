#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/part_loop.h"
#include "engine/operators/convert.h"
#include "engine/operators/operands.h"
#include "engine/operators/resampling/resampling.h"
#include "engine/operators/resampling/resize_shape.h"
#include "tensor/raw_element.h"

namespace quantscope {
namespace {

// The memory around one axis: [outer, extent, inner].
struct Surroundings {
  std::int64_t outer;
  std::int64_t inner;
};

// Axes in the order of memory.
std::vector<std::size_t> memoryOrder(const Tensor& x) {
  std::vector<std::size_t> order;
  const bool channelsLast = x.layout() == Layout::ChannelsLast;
  for (std::size_t axis = 0; axis < x.shape().rank(); ++axis) {
    if (!channelsLast || axis != 1) order.push_back(axis);
  }
  if (channelsLast) order.push_back(1);
  return order;
}

Surroundings surroundings(const Tensor& x, std::size_t axis) {
  Surroundings result{1, 1};
  bool behind = false;
  for (const std::size_t other : memoryOrder(x)) {
    if (other == axis) {
      behind = true;
    } else {
      (behind ? result.inner : result.outer) *= x.shape()[other];
    }
  }
  return result;
}

Tensor withExtent(const Tensor& x, std::size_t axis, std::int64_t extent) {
  Shape shape = x.shape();
  shape[axis] = extent;
  return {x.type(), shape, x.layout()};
}

// Calls body(outer index, output) for every run of inner elements of a result with `outputs` places
// along the axis, in parts of an item.
template <class Body>
void forEachLine(const Surroundings& around, std::int64_t outputs, const Body& body) {
  const auto inner = static_cast<std::size_t>(std::max<std::int64_t>(1, around.inner));
  const std::size_t grain = std::max<std::size_t>(1, kPieceElements / inner);
  forEachPiece(static_cast<std::size_t>(around.outer * outputs), grain,
               [&](std::size_t first, std::size_t end) {
                 std::int64_t i = static_cast<std::int64_t>(first) / outputs;
                 std::int64_t output = static_cast<std::int64_t>(first) % outputs;
                 for (; first < end; ++first, ++output) {
                   if (output == outputs) {
                     output = 0;
                     ++i;
                   }
                   body(i, output);
                 }
               });
}

// y[i, output] = x[i, source of the output], in parts of an item.
template <class T>
void gatherInRows(const T* x, std::int64_t outer, std::int64_t extent,
                  std::span<const std::int64_t> sources, T* y) {
  const std::size_t outputs = sources.size();
  const auto gather = [&](std::size_t first, std::size_t end) {
    while (first < end) {
      const T* from = x + static_cast<std::int64_t>(first / outputs) * extent;
      const std::size_t output = first % outputs;
      const std::size_t count = std::min(end - first, outputs - output);
      for (std::size_t i = 0; i < count; ++i) y[first + i] = from[sources[output + i]];
      first += count;
    }
  };
  forEachPiece(static_cast<std::size_t>(outer) * outputs, kPieceElements, gather);
}

// Nearest: moves elements, whatever their type.
Tensor gatherAlong(const Tensor& x, std::size_t axis, const AxisTaps& taps) {
  const auto outputs = static_cast<std::int64_t>(taps.sources.size());
  Tensor y = withExtent(x, axis, outputs);
  const Surroundings around = surroundings(x, axis);
  const auto bytes = static_cast<std::size_t>(around.inner) * byteSize(x.type());
  const std::int64_t extent = x.shape()[axis];
  if (around.inner == 1) {
    visitRawElements(bytes, [&]<class T>() {
      gatherInRows(reinterpret_cast<const T*>(x.bytes()), around.outer, extent, taps.sources,
                   reinterpret_cast<T*>(y.mutableBytes()));
    });
    return y;
  }
  const std::byte* from = x.bytes();
  std::byte* to = y.mutableBytes();
  forEachLine(around, outputs, [&](std::int64_t i, std::int64_t output) {
    const std::int64_t source = i * extent + taps.sources[static_cast<std::size_t>(output)];
    std::memcpy(to + static_cast<std::size_t>(i * outputs + output) * bytes,
                from + static_cast<std::size_t>(source) * bytes, bytes);
  });
  return y;
}

template <class T>
void addWeighted(const T* x, T weight, std::int64_t count, T* sum) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] += x[i] * weight;
}

template <class T>
Tensor blendAlong(const Tensor& x, std::size_t axis, const AxisTaps& taps) {
  const auto outputs = static_cast<std::int64_t>(taps.outside.size());
  Tensor y = withExtent(x, axis, outputs);
  const Surroundings around = surroundings(x, axis);
  const std::int64_t extent = x.shape()[axis];
  const T* from = x.values<T>().data();
  T* to = y.mutableValues<T>().data();
  forEachLine(around, outputs, [&](std::int64_t i, std::int64_t output) {
    const T* line = from + i * extent * around.inner;
    T* sum = to + (i * outputs + output) * around.inner;
    std::fill_n(sum, around.inner, T{0});
    std::size_t tap = static_cast<std::size_t>(output) * taps.perOutput;
    for (std::size_t k = 0; k < taps.perOutput; ++k, ++tap) {
      addWeighted(line + taps.sources[tap] * around.inner, static_cast<T>(taps.weights[tap]),
                  around.inner, sum);
    }
  });
  return y;
}

Tensor resampleAlong(const Tensor& x, std::size_t axis, const AxisTaps& taps,
                     Interpolation::Mode mode) {
  if (mode == Interpolation::Mode::Nearest) return gatherAlong(x, axis, taps);
  return x.type() == ElementType::Float64 ? blendAlong<double>(x, axis, taps)
                                          : blendAlong<float>(x, axis, taps);
}

// Elements whose place along `axis` lies outside the input become `value`.
template <class T>
void fillOutside(Tensor& y, std::size_t axis, const std::vector<char>& outside, T value) {
  const Surroundings around = surroundings(y, axis);
  T* to = y.mutableValues<T>().data();
  for (std::int64_t i = 0; i < around.outer; ++i) {
    for (const char isOutside : outside) {
      if (isOutside != 0) std::fill_n(to, around.inner, value);
      to += around.inner;
    }
  }
}

void fillOutsideOf(Tensor& y, std::size_t axis, const std::vector<char>& outside, float value) {
  if (std::ranges::find(outside, char{1}) == outside.end()) return;
  visitElementType(y.type(), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) fillOutside<T>(y, axis, outside, static_cast<T>(value));
  });
}

Tensor resize(const Interpolation& interpolation, float extrapolation,
              const std::vector<ResizedAxis>& axes, Tensor x) {
  const bool crops = interpolation.coordinates == Interpolation::Coordinates::TfCropAndResize;
  std::vector<std::vector<char>> outside(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool untouched = axes[i].output == axes[i].input && axes[i].scale == 1 && !crops;
    if (untouched) continue;
    if (axes[i].input == 0) {
      throw Error(ErrorCode::InvalidParameters,
                  "an input of shape " + toString(x.shape()) + " has nothing to resize");
    }
    AxisTaps taps = tapsOf(interpolation, axes[i]);
    x = resampleAlong(x, i, taps, interpolation.mode);
    outside[i] = std::move(taps.outside);
  }
  for (std::size_t i = 0; crops && i < axes.size(); ++i) {
    fillOutsideOf(x, i, outside[i], extrapolation);
  }
  return x;
}

}  // namespace

std::unique_ptr<Kernel> makeResize(const Node& node, const Graph& /*graph*/) {
  const Interpolation interpolation(node);
  const ResizeShape shape(node);
  const float extrapolation = node.real("extrapolation_value", 0);
  const auto run = [=](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const std::vector<ResizedAxis> axes = shape.axesOf(inputs);
    const ElementType type = inputs[0].type();
    const bool blendsIntegers =
        interpolation.mode != Interpolation::Mode::Nearest && !isFloat(type);
    if (blendsIntegers) inputs[0] = convertedTo(inputs[0], ElementType::Float32);
    Tensor y = resize(interpolation, extrapolation, axes, inputs[0]);
    setOutput(outputs, 0, blendsIntegers ? convertedTo(y, type) : std::move(y));
  };
  return makeKernel(run, Kernel::InputLayout::Any);
}

}  // namespace quantscope
