#include "engine/operators/convolutions/panel_convolution.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/part_loop.h"
#include "engine/onednn/wide_vectors.h"
#include "engine/operators/convolutions/filter_panels.h"
#include "engine/operators/convolutions/padded_rows.h"

namespace quantscope {
namespace {

// Outputs in a row from which on these products are the faster ones (measured on AVX2).
constexpr std::int64_t kLongRow = 96;
// With few places and many weights, these do not stay in the second cache level: oneDNN's kernels
// wait for them. At 196 places of resnet50 the two are level (measured on AVX-512).
constexpr std::int64_t kFewPositions = 100;
constexpr std::int64_t kManyFilterWeights = std::int64_t{256} << 10;
// Minimum cost of a part of an item, in products.
constexpr std::int64_t kRowsCost = std::int64_t{1} << 20;
// A part copies rows that its neighbours copy too: it has so many times as many of its own.
constexpr std::int64_t kOwnRows = 4;
// What an image is at least cut into where it has that many rows.
constexpr std::int64_t kFewestParts = 16;

// Rows of an output that a part computes.
std::int64_t rowsOfPart(const ConvolutionShapes& shapes) {
  const WindowAxis& down = shapes.window.axes[0];
  const std::int64_t products = shapes.window.axes[1].output * shapes.filtersPerGroup *
                                shapes.window.taps() * shapes.channelsPerGroup;
  const std::int64_t worthwhile = std::max<std::int64_t>(1, kRowsCost / products);
  const std::int64_t shared = std::max<std::int64_t>(0, down.span() - down.stride);
  return std::max(worthwhile, std::min(kOwnRows * shared, down.output / kFewestParts));
}

// Every place of an image by itself, all places one after the other.
bool isFlat(const Window& window) {
  return std::ranges::all_of(window.axes, [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.output == axis.input;
  });
}

bool hasLongRows(const ConvolutionShapes& shapes) {
  return shapes.window.axes[1].output >= kLongRow && shapes.window.taps() > 1;
}

// An image larger than the weights, most of it pads or never read, is not worth a copy.
bool hasFewPlaces(const ConvolutionShapes& shapes) {
  const std::int64_t weights =
      shapes.filtersPerGroup * shapes.channelsPerGroup * shapes.window.taps();
  const auto extent = [&](std::size_t axis) {
    return static_cast<double>(shapes.window.axes[axis].paddedInput());
  };
  const double image = extent(0) * extent(1) * static_cast<double>(shapes.channelsPerGroup);
  return shapes.window.positions() <= kFewPositions && weights >= kManyFilterWeights &&
         image <= static_cast<double>(weights);
}

/// A channels-last image of two axes as windows see it, with zeros for its pads.
class PaddedImage {
 public:
  PaddedImage(const Window& window, std::int64_t channels, const float* image)
      : m_image(image), m_width(window.axes[1].paddedInput()) {
    const WindowAxis& down = window.axes[0];
    const WindowAxis& across = window.axes[1];
    const std::int64_t height = down.paddedInput();
    if (height == down.input && m_width == across.input) return;
    m_elements.resize(static_cast<std::size_t>(height * m_width * channels));
    float* to = m_elements.data() + (down.padBegin * m_width + across.padBegin) * channels;
    for (std::int64_t row = 0; row < down.input; ++row, to += m_width * channels) {
      std::copy_n(image + row * across.input * channels, across.input * channels, to);
    }
    m_image = m_elements.data();
  }

  const float* elements() const { return m_image; }
  std::int64_t width() const { return m_width; }

 private:
  const float* m_image;
  std::int64_t m_width;
  std::vector<float> m_elements;
};

}  // namespace

enum class PanelConvolution::Method { Flat, Tiles, ByRows, Whole };

struct PanelConvolution::Operands {
  const float* x;
  Layout layout;
  const PanelMatrix& filters;
  const float* bias;
  float* y;
  const ProductFollowUp& next;
};

PanelConvolution::PanelConvolution(bool constantWeights)
    : m_panels(constantWeights), m_winograd(constantWeights) {}

std::optional<PanelConvolution::Method> PanelConvolution::methodFor(
    const ConvolutionShapes& shapes) {
  // Fewer filters leave too much of a panel empty.
  if (shapes.groups != 1 || shapes.filtersPerGroup < static_cast<std::int64_t>(kPanelColumns)) {
    return std::nullopt;
  }
  const bool wide = hasWideVectors();
  if (isFlat(shapes.window)) return wide ? std::optional(Method::Flat) : std::nullopt;
  if (shapes.window.axes.size() != 2 || shapes.window.axes[1].dilation != 1) return std::nullopt;
  if (WinogradConvolution::suits(shapes)) return Method::Tiles;
  if (hasLongRows(shapes)) return Method::ByRows;
  if (wide && hasFewPlaces(shapes)) return Method::Whole;
  return std::nullopt;
}

bool PanelConvolution::suits(const ConvolutionShapes& shapes) {
  return methodFor(shapes).has_value();
}

Tensor PanelConvolution::run(const ConvolutionShapes& shapes, const Tensor& x,
                             const Tensor& weights, const Tensor& bias,
                             const ElementProgram* program) const {
  Tensor y(ElementType::Float32, shapes.output, Layout::ChannelsLast);
  if (y.elementCount() == 0) return y;
  const Method method = methodFor(shapes).value();
  const Tensor source = method == Method::ByRows ? x : toLayout(x, Layout::ChannelsLast);
  const float* const in = source.values<float>().data();
  const float* const addends = bias.defined() ? bias.values<float>().data() : nullptr;
  float* const out = y.mutableValues<float>().data();
  const ProductFollowUp next(program);
  std::vector<std::int64_t> images;
  if (method == Method::Tiles) {
    images = m_winograd.run(shapes, {in, weights, addends, out}, next);
    if (images.empty()) return y;
  } else {
    images.resize(static_cast<std::size_t>(shapes.output[0]));
    std::iota(images.begin(), images.end(), std::int64_t{0});
  }
  const auto panels = filters(shapes, weights);
  const Operands operands{in, source.layout(), *panels, addends, out, next};
  if (method == Method::Flat) {
    runFlat(shapes, operands);
    return y;
  }
  for (const std::int64_t image : images) {
    if (method == Method::Whole) {
      runWhole(shapes, image, operands);
    } else {
      runByRows(shapes, image, operands);
    }
  }
  return y;
}

std::shared_ptr<const PanelMatrix> PanelConvolution::filters(const ConvolutionShapes& shapes,
                                                             const Tensor& weights) const {
  const std::int64_t k = shapes.window.taps() * shapes.channelsPerGroup;
  return m_panels.of(weights, k, shapes.filtersPerGroup,
                     [&](float* panels) { packFilters(shapes, weights, panels); });
}

void PanelConvolution::runFlat(const ConvolutionShapes& shapes, const Operands& operands) {
  const auto length = static_cast<std::size_t>(shapes.channelsPerGroup);
  const auto places = static_cast<std::size_t>(shapes.output[0] * shapes.window.positions());
  operands.filters.multiply({{&operands.x, 1}, length, length, places}, operands.bias, operands.y,
                            operands.next);
}

void PanelConvolution::runByRows(const ConvolutionShapes& shapes, std::int64_t image,
                                 const Operands& operands) {
  const WindowAxis& across = shapes.window.axes[1];
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t count = shapes.filtersPerGroup;
  const std::int64_t rows = shapes.output[2];
  const std::int64_t perImage = channels * shapes.window.axes[0].input * across.input;
  forEachPiece(
      static_cast<std::size_t>(rows), static_cast<std::size_t>(rowsOfPart(shapes)),
      [&](std::size_t first, std::size_t end) {
        PaddedRows padded(shapes.window, channels, operands.x + image * perImage, operands.layout);
        for (std::size_t row = first; row < end; ++row) {
          const std::int64_t place =
              (image * rows + static_cast<std::int64_t>(row)) * across.output;
          float* line = operands.y + place * count;
          multiplyPanels({.a = {.runs = padded.at(static_cast<std::int64_t>(row)),
                                .runLength = static_cast<std::size_t>(across.kernel * channels),
                                .stride = static_cast<std::size_t>(across.stride * channels),
                                .count = static_cast<std::size_t>(across.output)},
                          .panels = operands.filters.panels(),
                          .n = static_cast<std::size_t>(count),
                          .firstPanel = 0,
                          .endPanel = panelCount(static_cast<std::size_t>(count)),
                          .y = line,
                          .yStride = static_cast<std::size_t>(count),
                          .bias = operands.bias,
                          .bounds = operands.next.bounds()});
          operands.next.finishPart(static_cast<std::size_t>(place * count),
                                   {line, static_cast<std::size_t>(across.output * count)});
        }
      });
}

void PanelConvolution::runWhole(const ConvolutionShapes& shapes, std::int64_t image,
                                const Operands& operands) {
  const WindowAxis& down = shapes.window.axes[0];
  const WindowAxis& across = shapes.window.axes[1];
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t places = shapes.window.positions();
  const PaddedImage padded(shapes.window, channels,
                           operands.x + image * channels * down.input * across.input);
  const std::int64_t lineSize = padded.width() * channels;
  std::vector<const float*> runs;
  for (std::int64_t i = 0; i < down.kernel; ++i) {
    runs.push_back(padded.elements() + i * down.dilation * lineSize);
  }
  const std::int64_t first = image * places * shapes.filtersPerGroup;
  const auto count = static_cast<std::size_t>(places * shapes.filtersPerGroup);
  operands.filters.multiply({.runs = runs,
                             .runLength = static_cast<std::size_t>(across.kernel * channels),
                             .stride = static_cast<std::size_t>(across.stride * channels),
                             .count = static_cast<std::size_t>(places),
                             .lineRows = static_cast<std::size_t>(across.output),
                             .lineStride = static_cast<std::size_t>(down.stride * lineSize)},
                            operands.bias, operands.y + first,
                            ProductFollowUp(operands.next.bounds()));
  operands.next.finishInParts(static_cast<std::size_t>(first), {operands.y + first, count});
}

}  // namespace quantscope
