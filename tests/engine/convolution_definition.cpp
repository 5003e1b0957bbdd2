#include "engine/convolution_definition.h"

#include <QtTest>
#include <cmath>

#include "engine/operator_runner.h"

namespace quantscope::test {
namespace {

/// Calls visit(position in the longer array, position in the shorter one, tap) for each element
/// of the kernel that falls inside: long = short · stride − pad + tap · dilation.
template <class Visit>
void forEachTap(const ConvolutionCase& row, const Shape& longer, const Shape& shorter,
                const Shape& kernel, const Visit& visit) {
  const auto strides = numbers(row.strides);
  const auto dilations = numbers(row.dilations);
  const auto pads = numbers(row.pads);
  for (std::int64_t place = 0; place < shorter.elementCount(); ++place) {
    for (std::int64_t tap = 0; tap < kernel.elementCount(); ++tap) {
      std::int64_t restPlace = place;
      std::int64_t restTap = tap;
      std::int64_t target = 0;
      std::int64_t stride = 1;
      bool inside = true;
      for (std::size_t axis = longer.rank(); axis-- > 0;) {
        const std::int64_t at = restPlace % shorter[axis] * strides[axis] - pads[axis] +
                                restTap % kernel[axis] * dilations[axis];
        inside = inside && at >= 0 && at < longer[axis];
        target += at * stride;
        stride *= longer[axis];
        restPlace /= shorter[axis];
        restTap /= kernel[axis];
      }
      if (inside) visit(target, place, tap);
    }
  }
}

Shape spatial(const Shape& shape) {
  return Shape(shape.dimensions().subspan(2));
}

Shape join(std::int64_t n, std::int64_t channels, const Shape& positions) {
  Shape shape{n, channels};
  for (const std::int64_t extent : positions) shape.append(extent);
  return shape;
}

ConvolutionResult startFromBias(const Shape& shape, const std::vector<double>& bias) {
  ConvolutionResult expected{shape, {}, {}};
  const std::int64_t positions = spatial(shape).elementCount();
  for (std::int64_t i = 0; i < shape.elementCount(); ++i) {
    const double value =
        bias.empty() ? 0 : bias[static_cast<std::size_t>(i / positions % shape[1])];
    expected.values.push_back(value);
    expected.magnitudes.push_back(std::abs(value));
  }
  return expected;
}

}  // namespace

std::string convolutionAttributes(const ConvolutionCase& row) {
  const auto list = [](const char* name, const char* values) {
    return std::string(" ") + name + "=[" + values + "]";
  };
  return list("strides", row.strides) + list("dilations", row.dilations) + list("pads", row.pads) +
         (row.outputPadding == nullptr ? "" : list("output_padding", row.outputPadding)) +
         " group=" + std::to_string(row.groups);
}

ConvolutionResult convolve(const ConvolutionCase& row, const Tensor& x, const Tensor& w,
                           const std::vector<double>& bias) {
  const auto strides = numbers(row.strides);
  const auto dilations = numbers(row.dilations);
  const auto pads = numbers(row.pads);
  const Shape input = spatial(x.shape());
  const Shape kernel = spatial(w.shape());
  Shape output = input;
  for (std::size_t i = 0; i < input.rank(); ++i) {
    output[i] = (input[i] + pads[i] + pads[input.rank() + i] - dilations[i] * (kernel[i] - 1) - 1) /
                    strides[i] +
                1;
  }
  const std::int64_t filters = w.shape()[0];
  ConvolutionResult expected = startFromBias(join(x.shape()[0], filters, output), bias);
  const auto source = elements(x);
  const auto weights = elements(w);
  const std::int64_t channels = w.shape()[1];
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    for (std::int64_t f = 0; f < filters; ++f) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const std::int64_t from = f / (filters / row.groups) * channels + c;
        forEachTap(
            row, input, output, kernel, [&](std::int64_t in, std::int64_t out, std::int64_t tap) {
              const double product = source[static_cast<std::size_t>(
                                         (n * x.shape()[1] + from) * input.elementCount() + in)] *
                                     weights[static_cast<std::size_t>(
                                         (f * channels + c) * kernel.elementCount() + tap)];
              const auto at =
                  static_cast<std::size_t>((n * filters + f) * output.elementCount() + out);
              expected.values[at] += product;
              expected.magnitudes[at] += std::abs(product);
            });
      }
    }
  }
  return expected;
}

ConvolutionResult convolveTransposed(const ConvolutionCase& row, const Tensor& x, const Tensor& w,
                                     const std::vector<double>& bias) {
  const auto strides = numbers(row.strides);
  const auto dilations = numbers(row.dilations);
  const auto pads = numbers(row.pads);
  const auto extra = numbers(row.outputPadding);
  const Shape input = spatial(x.shape());
  const Shape kernel = spatial(w.shape());
  Shape output = input;
  for (std::size_t i = 0; i < input.rank(); ++i) {
    output[i] = strides[i] * (input[i] - 1) + extra[i] + dilations[i] * (kernel[i] - 1) + 1 -
                pads[i] - pads[input.rank() + i];
  }
  const std::int64_t filters = w.shape()[1];  // of a group
  ConvolutionResult expected =
      startFromBias(join(x.shape()[0], filters * row.groups, output), bias);
  const auto source = elements(x);
  const auto weights = elements(w);
  const std::int64_t channels = x.shape()[1];
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t f = 0; f < filters; ++f) {
        const std::int64_t filter = c / (channels / row.groups) * filters + f;
        forEachTap(
            row, output, input, kernel, [&](std::int64_t out, std::int64_t in, std::int64_t tap) {
              const double product =
                  source[static_cast<std::size_t>((n * channels + c) * input.elementCount() + in)] *
                  weights[static_cast<std::size_t>((c * filters + f) * kernel.elementCount() +
                                                   tap)];
              const auto at = static_cast<std::size_t>(
                  (n * filters * row.groups + filter) * output.elementCount() + out);
              expected.values[at] += product;
              expected.magnitudes[at] += std::abs(product);
            });
      }
    }
  }
  return expected;
}

std::vector<double> floatBounds(const ConvolutionResult& result, std::int64_t terms) {
  std::vector<double> bounds = result.magnitudes;
  for (double& bound : bounds) bound *= 2 * static_cast<double>(terms + 1) * 0x1p-24;
  return bounds;
}

void addConvolutionCases(std::span<const ConvolutionCase> cases) {
  QTest::addColumn<int>("index");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    QTest::newRow(cases[i].name) << static_cast<int>(i);
  }
}

}  // namespace quantscope::test
