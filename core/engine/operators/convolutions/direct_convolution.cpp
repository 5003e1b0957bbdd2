#include "engine/operators/convolutions/direct_convolution.h"

#include "engine/operators/window_walker.h"

namespace quantscope {
namespace {

std::int64_t sourcePositions(const Window& window) {
  std::int64_t count = 1;
  for (const WindowAxis& axis : window.axes) count *= axis.input;
  return count;
}

// The plane of one filter, of `positions` elements, filled with its bias.
void fillWithBias(std::span<double> y, const Tensor& bias, std::int64_t positions) {
  std::span<const double> addends;
  if (bias.defined()) addends = bias.values<double>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t plane = i / static_cast<std::size_t>(positions);
    y[i] = addends.empty() ? 0 : addends[plane % addends.size()];
  }
}

// Calls visit(n, input channel, output channel, offset of their kernel) for all that meet.
template <class Visit>
void forEachPair(const ConvolutionShapes& shapes, bool transposed, const Visit& visit) {
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t filters = shapes.filtersPerGroup;
  const std::int64_t taps = shapes.window.taps();
  for (std::int64_t n = 0; n < shapes.output[0]; ++n) {
    for (std::int64_t group = 0; group < shapes.groups; ++group) {
      for (std::int64_t filter = 0; filter < filters; ++filter) {
        for (std::int64_t channel = 0; channel < channels; ++channel) {
          const std::int64_t row = transposed ? (group * channels + channel) * filters + filter
                                              : (group * filters + filter) * channels + channel;
          visit(n, group * channels + channel, group * filters + filter, row * taps);
        }
      }
    }
  }
}

}  // namespace

Tensor convolveDouble(const ConvolutionShapes& shapes, bool transposed, const Tensor& x,
                      const Tensor& weights, const Tensor& bias) {
  Tensor y(ElementType::Float64, shapes.output);
  // The window of a transposed convolution slides over the result: its outputs are x's elements.
  const std::int64_t positions = shapes.window.positions();
  const std::int64_t places = sourcePositions(shapes.window);
  const std::int64_t inputs = transposed ? positions : places;
  const std::int64_t outputs = transposed ? places : positions;
  fillWithBias(y.mutableValues<double>(), bias, outputs);
  const double* source = x.values<double>().data();
  const double* kernel = weights.values<double>().data();
  double* target = y.mutableValues<double>().data();
  const std::int64_t channels = shapes.groups * shapes.channelsPerGroup;
  WindowWalker walker(shapes.window);
  for (std::int64_t position = 0; position < positions; ++position) {
    const auto taps = walker.at(position);
    const auto visit = [&](std::int64_t n, std::int64_t c, std::int64_t f, std::int64_t w) {
      const double* from = source + (n * channels + c) * inputs;
      double* to = target + (n * shapes.output[1] + f) * outputs;
      if (transposed) {
        for (const auto& tap : taps) to[tap.source] += from[position] * kernel[w + tap.tap];
      } else {
        double sum = 0;
        for (const auto& tap : taps) sum += from[tap.source] * kernel[w + tap.tap];
        to[position] += sum;
      }
    };
    forEachPair(shapes, transposed, visit);
  }
  return y;
}

}  // namespace quantscope
