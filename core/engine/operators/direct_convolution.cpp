#include "engine/operators/direct_convolution.h"

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

Tensor convolveDouble(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
                      const Tensor& bias) {
  Tensor y(ElementType::Float64, shapes.output);
  const std::int64_t outputs = shapes.window.positions();
  const std::int64_t inputs = sourcePositions(shapes.window);
  fillWithBias(y.mutableValues<double>(), bias, outputs);
  const double* source = x.values<double>().data();
  const double* kernel = weights.values<double>().data();
  double* target = y.mutableValues<double>().data();
  const std::int64_t channels = shapes.groups * shapes.channelsPerGroup;
  WindowWalker walker(shapes.window);
  for (std::int64_t position = 0; position < outputs; ++position) {
    const auto taps = walker.at(position);
    forEachPair(shapes, false, [&](std::int64_t n, std::int64_t c, std::int64_t f, std::int64_t w) {
      double sum = 0;
      const double* plane = source + (n * channels + c) * inputs;
      for (const WindowWalker::Tap& tap : taps) sum += plane[tap.source] * kernel[w + tap.tap];
      target[(n * shapes.output[1] + f) * outputs + position] += sum;
    });
  }
  return y;
}

Tensor convolveTransposedDouble(const ConvolutionShapes& shapes, const Tensor& x,
                                const Tensor& weights, const Tensor& bias) {
  Tensor y(ElementType::Float64, shapes.output);
  // The window slides over the result: its outputs are the elements of x.
  const std::int64_t inputs = shapes.window.positions();
  const std::int64_t outputs = sourcePositions(shapes.window);
  fillWithBias(y.mutableValues<double>(), bias, outputs);
  const double* source = x.values<double>().data();
  const double* kernel = weights.values<double>().data();
  double* target = y.mutableValues<double>().data();
  const std::int64_t channels = shapes.groups * shapes.channelsPerGroup;
  WindowWalker walker(shapes.window);
  for (std::int64_t position = 0; position < inputs; ++position) {
    const auto taps = walker.at(position);
    forEachPair(shapes, true, [&](std::int64_t n, std::int64_t c, std::int64_t f, std::int64_t w) {
      const double value = source[(n * channels + c) * inputs + position];
      double* plane = target + (n * shapes.output[1] + f) * outputs;
      for (const WindowWalker::Tap& tap : taps) plane[tap.source] += value * kernel[w + tap.tap];
    });
  }
  return y;
}

}  // namespace quantscope
