#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/convolutions/convolution_shapes.h"
#include "engine/operators/convolutions/special_convolutions.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

// A plane [height, width] between its elements; 0 outside.
template <class T>
double interpolated(const T* plane, std::int64_t height, std::int64_t width, double y, double x) {
  if (!(y > -1 && y < static_cast<double>(height) && x > -1 && x < static_cast<double>(width))) {
    return 0;
  }
  const double top = std::floor(y);
  const double left = std::floor(x);
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    const std::int64_t row = static_cast<std::int64_t>(top) + k / 2;
    const std::int64_t column = static_cast<std::int64_t>(left) + k % 2;
    if (row < 0 || row >= height || column < 0 || column >= width) continue;
    const double down = k / 2 == 1 ? y - top : 1 - (y - top);
    const double across = k % 2 == 1 ? x - left : 1 - (x - left);
    sum += down * across * static_cast<double>(plane[row * width + column]);
  }
  return sum;
}

struct Operands {
  const Tensor& x;
  const Tensor& weights;
  const Tensor& offset;
  Tensor bias;
  Tensor mask;
  std::int64_t offsetGroups;
};

// The inputs that the kernel reads at one position of image n: [C, taps].
template <class T>
void readTaps(const Operands& operands, const Window& window, std::int64_t n, std::int64_t position,
              std::vector<double>& columns) {
  const Shape& shape = operands.x.shape();
  const std::int64_t taps = window.taps();
  const std::int64_t positions = window.positions();
  const WindowAxis& rows = window.axes[0];
  const WindowAxis& across = window.axes[1];
  const std::int64_t channelsPerGroup = shape[1] / operands.offsetGroups;
  const T* offset = operands.offset.values<T>().data();
  const T* mask = operands.mask.defined() ? operands.mask.values<T>().data() : nullptr;
  for (std::int64_t c = 0; c < shape[1]; ++c) {
    const std::int64_t group = n * operands.offsetGroups + c / channelsPerGroup;
    const T* plane = operands.x.values<T>().data() + (n * shape[1] + c) * shape[2] * shape[3];
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t place = (group * taps + tap) * 2 * positions + position;
      const std::int64_t y = position / across.output * rows.stride - rows.padBegin +
                             tap / across.kernel * rows.dilation;
      const std::int64_t x = position % across.output * across.stride - across.padBegin +
                             tap % across.kernel * across.dilation;
      const double value = interpolated(
          plane, shape[2], shape[3], static_cast<double>(y) + static_cast<double>(offset[place]),
          static_cast<double>(x) + static_cast<double>(offset[place + positions]));
      const double weight =
          mask ? static_cast<double>(mask[(group * taps + tap) * positions + position]) : 1;
      columns[static_cast<std::size_t>(c * taps + tap)] = value * weight;
    }
  }
}

template <class T>
Tensor convolve(const Operands& operands, const ConvolutionShapes& shapes) {
  Tensor result(operands.x.type(), shapes.output);
  const std::int64_t taps = shapes.window.taps();
  const std::int64_t positions = shapes.window.positions();
  const std::int64_t filters = shapes.output[1];
  const std::int64_t depth = shapes.channelsPerGroup * taps;
  std::vector<double> columns(static_cast<std::size_t>(operands.x.shape()[1] * taps));
  for (std::int64_t i = 0; i < shapes.output[0] * positions; ++i) {
    const std::int64_t n = i / positions;
    readTaps<T>(operands, shapes.window, n, i % positions, columns);
    for (std::int64_t filter = 0; filter < filters; ++filter) {
      const T* weights = operands.weights.values<T>().data() + filter * depth;
      const double* seen = columns.data() + filter / shapes.filtersPerGroup * depth;
      double sum =
          operands.bias.defined()
              ? static_cast<double>(operands.bias.values<T>()[static_cast<std::size_t>(filter)])
              : 0;
      for (std::int64_t k = 0; k < depth; ++k) sum += static_cast<double>(weights[k]) * seen[k];
      const std::int64_t place = (n * filters + filter) * positions + i % positions;
      result.mutableValues<T>()[static_cast<std::size_t>(place)] = static_cast<T>(sum);
    }
  }
  return result;
}

void requireFit(const Operands& operands, const ConvolutionShapes& shapes) {
  const Shape& y = shapes.output;
  const auto wanted = [&](std::int64_t perTap) {
    return Shape{y[0], operands.offsetGroups * shapes.window.taps() * perTap, y[2], y[3]};
  };
  const std::int64_t channels = operands.x.shape()[1];
  if (operands.offsetGroups < 1 || channels % operands.offsetGroups != 0) {
    throw Error(ErrorCode::InvalidModel, std::to_string(channels) + " channels do not fall into " +
                                             std::to_string(operands.offsetGroups) +
                                             " offset groups");
  }
  if (operands.offset.shape() != wanted(2) ||
      (operands.mask.defined() && operands.mask.shape() != wanted(1))) {
    throw Error(ErrorCode::InvalidParameters,
                "an offset of shape " + toString(operands.offset.shape()) +
                    " or its mask does not fit an output of shape " + toString(y));
  }
}

std::unique_ptr<Kernel> deformableConvolution(const Node& node, const Graph& /*graph*/) {
  return makeKernel([attributes = WindowAttributes(node), groups = readGroups(node),
                     offsetGroups = node.integer("offset_group", 1)](std::span<Tensor> inputs,
                                                                     std::span<Tensor> outputs) {
    const Operands operands{requiredInput(inputs, 0),    requiredInput(inputs, 1),
                            requiredInput(inputs, 2),    inputOrUndefined(inputs, 3),
                            inputOrUndefined(inputs, 4), offsetGroups};
    if (operands.x.shape().rank() != 4) {
      throw Error(ErrorCode::UnsupportedOperation,
                  "DeformConv of an input of shape " + toString(operands.x.shape()) +
                      " is not supported, only of images [N, C, H, W]");
    }
    const ConvolutionShapes shapes = convolutionShapes(attributes, groups, operands.x.shape(),
                                                       operands.weights.shape(), operands.bias);
    requireFit(operands, shapes);
    visitTypes(FloatTypes{}, operands.x.type(),
               [&]<class T>() { setOutput(outputs, 0, convolve<T>(operands, shapes)); });
  });
}

}  // namespace

void registerDeformableConvolution(OperatorRegistry& registry) {
  registry.add("DeformConv", {19, 22}, deformableConvolution);
}

}  // namespace quantscope
