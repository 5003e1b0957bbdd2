#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/convolutions/convolution_shapes.h"
#include "engine/operators/operands.h"
#include "engine/operators/quantized/integer_product.h"
#include "engine/operators/quantized/integer_weights.h"
#include "engine/operators/quantized/quantized.h"
#include "engine/operators/window_walker.h"

namespace quantscope {
namespace {

// Output positions that are gathered before they are multiplied.
constexpr std::int64_t kPositions = 16;

// Weights [M, C / groups, k1, …] minus their zero points as [M, k1, …, C / groups]: in the order
// in which a channels-last image is gathered.
Deviations arrangedFilters(const Tensor& weights, const Tensor& zeroPoint) {
  const Deviations codes = widenedCodes(toLayout(weights, Layout::ChannelsLast));
  const std::int64_t filters = weights.shape()[0];
  const ZeroPoints zeros(zeroPoint, filters, "a weight zero point");
  Deviations result(codes.size());
  const auto perFilter = static_cast<std::int64_t>(codes.size()) / filters;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::int64_t filter = static_cast<std::int64_t>(i) / perFilter;
    result[i] = static_cast<std::int16_t>(codes[i] - zeros.at(filter));
  }
  return result;
}

Deviations deviationsOf(const Tensor& x, const Tensor& zeroPoint) {
  Deviations result = widenedCodes(x);
  const std::int32_t zero = ZeroPoints(zeroPoint, 1, "an input zero point").at(0);
  for (std::int16_t& value : result) value = static_cast<std::int16_t>(value - zero);
  return result;
}

// Copies a window's inputs of one group into a row; padding has the deviation 0.
void gatherRow(std::span<const WindowWalker::Tap> taps, const ConvolutionShapes& shapes,
               const std::int16_t* image, std::int64_t group, std::span<std::int16_t> row) {
  const std::int64_t width = shapes.channelsPerGroup;
  const std::int64_t channels = width * shapes.groups;
  std::ranges::fill(row, std::int16_t{0});
  for (const WindowWalker::Tap& tap : taps) {
    std::copy_n(image + tap.source * channels + group * width, width, row.data() + tap.tap * width);
  }
}

// Accumulators of all images, channels-last.
class IntegerConvolution {
 public:
  IntegerConvolution(const ConvolutionShapes& shapes, const Deviations& filters)
      : m_shapes(shapes),
        m_filters(filters),
        m_walker(shapes.window),
        m_rowSize(shapes.window.taps() * shapes.channelsPerGroup),
        m_rows(static_cast<std::size_t>(kPositions * m_rowSize)),
        m_sums(static_cast<std::size_t>(kPositions * shapes.filtersPerGroup)) {}

  // x and y: all images.
  void run(const Deviations& x, std::int32_t* y) {
    const std::int64_t images = m_shapes.output[0];
    const std::int64_t perImage = images == 0 ? 0 : static_cast<std::int64_t>(x.size()) / images;
    const std::int64_t results = m_shapes.window.positions() * m_shapes.output[1];
    for (std::int64_t n = 0; n < images; ++n) {
      for (std::int64_t group = 0; group < m_shapes.groups; ++group) {
        runGroup(x.data() + n * perImage, group, y + n * results);
      }
    }
  }

 private:
  void runGroup(const std::int16_t* image, std::int64_t group, std::int32_t* y) {
    const std::int64_t filters = m_shapes.filtersPerGroup;
    const std::int64_t positions = m_shapes.window.positions();
    const std::int16_t* weights = m_filters.data() + group * filters * m_rowSize;
    for (std::int64_t first = 0; first < positions; first += kPositions) {
      const std::int64_t count = std::min(kPositions, positions - first);
      for (std::int64_t i = 0; i < count; ++i) {
        gatherRow(m_walker.at(first + i), m_shapes, image, group,
                  std::span(m_rows).subspan(static_cast<std::size_t>(i * m_rowSize),
                                            static_cast<std::size_t>(m_rowSize)));
      }
      multiplyDeviations(m_rows.data(), weights, m_sums.data(), count, filters, m_rowSize);
      for (std::int64_t i = 0; i < count; ++i) {
        std::copy_n(m_sums.data() + i * filters, filters,
                    y + (first + i) * m_shapes.output[1] + group * filters);
      }
    }
  }

  const ConvolutionShapes& m_shapes;
  const Deviations& m_filters;
  WindowWalker m_walker;
  std::int64_t m_rowSize;
  Deviations m_rows;
  std::vector<std::int32_t> m_sums;
};

void addBias(const Tensor& bias, std::vector<std::int32_t>& accumulators) {
  if (!bias.defined()) return;
  const std::span<const std::int32_t> addends = bias.values<std::int32_t>();
  for (std::size_t i = 0; i < accumulators.size(); ++i) {
    accumulators[i] =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(accumulators[i]) +
                                  static_cast<std::uint32_t>(addends[i % addends.size()]));
  }
}

class ConvIntegerKernel final : public Kernel {
 public:
  explicit ConvIntegerKernel(const Node& node) : m_attributes(node), m_groups(readGroups(node)) {}

  InputLayout inputLayout() const override { return InputLayout::ChannelsLast; }

  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    const Tensor x = toLayout(requiredInput(inputs, 0), Layout::ChannelsLast);
    const Tensor& w = requiredInput(inputs, 1);
    const Tensor zero = inputOrUndefined(inputs, 3);
    const ConvolutionShapes shapes =
        convolutionShapes(m_attributes, m_groups, x.shape(), w.shape(), Tensor());
    const auto filters = m_weights.get(w, zero, [&] { return arrangedFilters(w, zero); });
    Tensor y(ElementType::Int32, shapes.output, Layout::ChannelsLast);
    IntegerConvolution(shapes, filters->deviations)
        .run(deviationsOf(x, inputOrUndefined(inputs, 2)), y.mutableValues<std::int32_t>().data());
    setOutput(outputs, 0, std::move(y));
  }

 private:
  WindowAttributes m_attributes;
  std::int64_t m_groups;
  IntegerWeightCache m_weights;
};

class QLinearConvKernel final : public Kernel {
 public:
  explicit QLinearConvKernel(const Node& node) : m_attributes(node), m_groups(readGroups(node)) {}

  InputLayout inputLayout() const override { return InputLayout::ChannelsLast; }

  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    for (std::size_t i = 0; i < 8; ++i) requiredInput(inputs, i);
    const Tensor x = toLayout(inputs[0], Layout::ChannelsLast);
    const Tensor& w = inputs[3];
    const Tensor bias = inputOrUndefined(inputs, 8);
    const ConvolutionShapes shapes =
        convolutionShapes(m_attributes, m_groups, x.shape(), w.shape(), bias);
    const Requantization requantization(inputs[1], inputs[4], inputs[6], inputs[7],
                                        shapes.output[1]);
    const auto filters = m_weights.get(w, inputs[5], [&] { return arrangedFilters(w, inputs[5]); });
    Tensor y(requantization.type(), shapes.output, Layout::ChannelsLast);
    std::vector<std::int32_t> accumulators(y.elementCount());
    IntegerConvolution(shapes, filters->deviations)
        .run(deviationsOf(x, inputs[2]), accumulators.data());
    addBias(bias, accumulators);
    requantization.apply(accumulators, y);
    setOutput(outputs, 0, std::move(y));
  }

 private:
  WindowAttributes m_attributes;
  std::int64_t m_groups;
  IntegerWeightCache m_weights;
};

}  // namespace

std::unique_ptr<Kernel> makeConvInteger(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<ConvIntegerKernel>(node);
}

std::unique_ptr<Kernel> makeQLinearConv(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<QLinearConvKernel>(node);
}

}  // namespace quantscope
