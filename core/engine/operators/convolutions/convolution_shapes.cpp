#include "engine/operators/convolutions/convolution_shapes.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

[[noreturn]] void throwMismatch(const Shape& x, const Shape& weights, std::int64_t groups) {
  throw Error(ErrorCode::InvalidParameters,
              "an input of shape " + toString(x) + " does not fit weights of shape " +
                  toString(weights) + " in " + std::to_string(groups) + " group(s)");
}

void requireBias(const Tensor& bias, std::int64_t filters) {
  if (!bias.defined() || bias.shape() == Shape{filters}) return;
  throw Error(ErrorCode::InvalidParameters, "a bias of shape " + toString(bias.shape()) +
                                                " does not fit " + std::to_string(filters) +
                                                " output channels");
}

std::span<const std::int64_t> kernelExtents(const WindowAttributes& attributes, const Shape& x,
                                            const Shape& weights) {
  const std::span<const std::int64_t> extents = weights.dimensions().subspan(2);
  if (attributes.hasKernel() && !std::ranges::equal(attributes.kernel(), extents)) {
    throw Error(
        ErrorCode::InvalidParameters,
        "weights of shape " + toString(weights) +
            " do not have the extents of the attribute 'kernel_shape' for an input of shape " +
            toString(x));
  }
  return extents;
}

Shape resultShape(const Shape& x, std::int64_t filters, const Window& window,
                  std::int64_t WindowAxis::*extent) {
  Shape shape{x[0], filters};
  for (const WindowAxis& axis : window.axes) shape.append(axis.*extent);
  return shape;
}

}  // namespace

ConvolutionShapes convolutionShapes(const WindowAttributes& attributes, std::int64_t groups,
                                    const Shape& x, const Shape& weights, const Tensor& bias) {
  if (weights.rank() != x.rank() || x.rank() < 3 || weights.elementCount() == 0 ||
      x[1] % groups != 0 || x[1] / groups != weights[1] || weights[0] % groups != 0) {
    throwMismatch(x, weights, groups);
  }
  requireBias(bias, weights[0]);
  ConvolutionShapes shapes;
  shapes.window = attributes.resolve(x, kernelExtents(attributes, x, weights));
  shapes.groups = groups;
  shapes.channelsPerGroup = weights[1];
  shapes.filtersPerGroup = weights[0] / groups;
  shapes.output = resultShape(x, weights[0], shapes.window, &WindowAxis::output);
  return shapes;
}

ConvolutionShapes transposedConvolutionShapes(const WindowAttributes& attributes,
                                              std::int64_t groups,
                                              const std::vector<std::int64_t>& outputPadding,
                                              const std::vector<std::int64_t>& outputShape,
                                              const Shape& x, const Shape& weights,
                                              const Tensor& bias) {
  if (weights.rank() != x.rank() || x.rank() < 3 || weights.elementCount() == 0 ||
      x[1] != weights[0] || x[1] % groups != 0) {
    throwMismatch(x, weights, groups);
  }
  requireBias(bias, weights[1] * groups);
  ConvolutionShapes shapes;
  shapes.window = attributes.resolveTransposed(x, kernelExtents(attributes, x, weights),
                                               outputPadding, outputShape);
  shapes.groups = groups;
  shapes.channelsPerGroup = weights[0] / groups;
  shapes.filtersPerGroup = weights[1];
  shapes.output = resultShape(x, weights[1] * groups, shapes.window, &WindowAxis::input);
  return shapes;
}

Shape weightsShape(const ConvolutionShapes& shapes) {
  Shape shape{shapes.groups * shapes.filtersPerGroup, shapes.channelsPerGroup};
  for (const WindowAxis& axis : shapes.window.axes) shape.append(axis.kernel);
  return shape;
}

std::int64_t readGroups(const Node& node) {
  const std::int64_t groups = node.integer("group", 1);
  if (groups >= 1) return groups;
  throw Error(ErrorCode::InvalidModel, node.op + " has " + std::to_string(groups) + " groups");
}

}  // namespace quantscope
