#include "engine/operators/convolutions/panel_convolution.h"

#include <algorithm>
#include <vector>

#include "base/part_loop.h"
#include "tensor/transpose_plane.h"

namespace quantscope {
namespace {

// Outputs in a row from which on these products are the faster ones (measured on AVX2).
constexpr std::int64_t kLongRow = 96;
// Fewer filters leave too much of a panel empty.
constexpr std::int64_t kFewestFilters = 16;
// Minimum cost of a part of an item, in products.
constexpr std::int64_t kRowsCost = std::int64_t{1} << 20;
// A part copies rows that its neighbours copy too: it has so many times as many of its own.
constexpr std::int64_t kOwnRows = 4;
// What an image is at least cut into where it has that many rows.
constexpr std::int64_t kFewestParts = 16;

// [filter, channel, row, column] as [row · column · channel, filter].
Tensor byRowOfFilter(const ConvolutionShapes& shapes, const Tensor& weights) {
  const std::int64_t taps = shapes.window.taps();
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t filters = shapes.filtersPerGroup;
  Tensor result(ElementType::Float32, Shape{taps * channels, filters});
  const float* from = weights.values<float>().data();
  float* to = result.mutableValues<float>().data();
  for (std::int64_t filter = 0; filter < filters; ++filter) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        to[(tap * channels + channel) * filters + filter] = *from++;
      }
    }
  }
  return result;
}

/// The rows of an image that a window sees while it moves down, channels-last and with zeros for
/// its pads.
class PaddedRows {
 public:
  PaddedRows(const Window& window, std::int64_t channels, const float* image, Layout layout)
      : m_down(window.axes[0]),
        m_across(window.axes[1]),
        m_channels(channels),
        m_image(image),
        m_layout(layout),
        m_width(std::max(m_across.padBegin + m_across.input,
                         (m_across.output - 1) * m_across.stride + m_across.kernel)),
        m_loaded(static_cast<std::size_t>(m_down.span()), -1),
        m_zeros(static_cast<std::size_t>(m_width * channels)),
        m_runs(static_cast<std::size_t>(m_down.kernel)) {
    const bool padded = m_across.padBegin > 0 || m_width > m_across.input;
    if (padded || layout == Layout::Plain)
      m_rows.resize(static_cast<std::size_t>(m_down.span() * m_width * channels));
  }

  /// The beginnings of each filter row's inputs at the first place of output row `row`; valid until
  /// the next call.
  std::span<const float* const> at(std::int64_t row) {
    for (std::int64_t i = 0; i < m_down.kernel; ++i) {
      const std::int64_t source = row * m_down.stride - m_down.padBegin + i * m_down.dilation;
      const bool inside = source >= 0 && source < m_down.input;
      m_runs[static_cast<std::size_t>(i)] = inside ? line(source) : m_zeros.data();
    }
    return m_runs;
  }

 private:
  const float* line(std::int64_t source) {
    if (m_rows.empty()) return m_image + source * m_across.input * m_channels;
    // The rows that a window sees are fewer than its span apart; the pads keep their zeros.
    const std::int64_t slot = source % m_down.span();
    float* to = m_rows.data() + slot * m_width * m_channels;
    if (m_loaded[static_cast<std::size_t>(slot)] != source) {
      load(source, to + m_across.padBegin * m_channels);
      m_loaded[static_cast<std::size_t>(slot)] = source;
    }
    return to;
  }

  void load(std::int64_t source, float* to) const {
    const std::int64_t width = m_across.input;
    if (m_layout == Layout::ChannelsLast) {
      std::copy_n(m_image + source * width * m_channels, width * m_channels, to);
      return;
    }
    transposePlane(reinterpret_cast<const std::byte*>(m_image + source * width),
                   reinterpret_cast<std::byte*>(to), sizeof(float),
                   {.rows = width,
                    .columns = m_channels,
                    .sourceStride = m_down.input * width,
                    .targetStride = m_channels});
  }

  WindowAxis m_down;
  WindowAxis m_across;
  std::int64_t m_channels;
  const float* m_image;
  Layout m_layout;
  std::int64_t m_width;                // of a row with its pads
  std::vector<std::int64_t> m_loaded;  // by slot: the row of the image
  std::vector<float> m_rows;           // a ring of as many rows as the window spans
  std::vector<float> m_zeros;          // a row outside the image
  std::vector<const float*> m_runs;
};

// Rows of an output that a part computes.
std::int64_t rowsOfPart(const ConvolutionShapes& shapes) {
  const WindowAxis& down = shapes.window.axes[0];
  const std::int64_t products = shapes.window.axes[1].output * shapes.filtersPerGroup *
                                shapes.window.taps() * shapes.channelsPerGroup;
  const std::int64_t worthwhile = std::max<std::int64_t>(1, kRowsCost / products);
  const std::int64_t shared = std::max<std::int64_t>(0, down.span() - down.stride);
  return std::max(worthwhile, std::min(kOwnRows * shared, down.output / kFewestParts));
}

}  // namespace

PanelConvolution::PanelConvolution(bool constantWeights) : m_panels(constantWeights) {}

bool PanelConvolution::suits(const ConvolutionShapes& shapes) {
  if (shapes.groups != 1 || shapes.window.axes.size() != 2) return false;
  const WindowAxis& across = shapes.window.axes[1];
  return across.dilation == 1 && across.output >= kLongRow &&
         shapes.filtersPerGroup >= kFewestFilters && shapes.window.taps() > 1;
}

Tensor PanelConvolution::run(const ConvolutionShapes& shapes, const Tensor& x,
                             const Tensor& weights, const Tensor& bias,
                             const ElementProgram* next) const {
  Tensor y(ElementType::Float32, shapes.output, Layout::ChannelsLast);
  if (y.elementCount() == 0) return y;
  const WindowAxis& across = shapes.window.axes[1];
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t filters = shapes.filtersPerGroup;
  const std::int64_t k = shapes.window.taps() * channels;
  const auto factor = m_panels.of(
      weights, [&] { return byRowOfFilter(shapes, weights); }, k, filters);
  const std::int64_t images = shapes.output[0];
  const std::int64_t rows = shapes.output[2];
  const std::int64_t perImage = static_cast<std::int64_t>(x.elementCount()) / images;
  const float* source = x.values<float>().data();
  const float* addends = bias.defined() ? bias.values<float>().data() : nullptr;
  float* target = y.mutableValues<float>().data();
  const std::int64_t grain = rowsOfPart(shapes);
  for (std::int64_t image = 0; image < images; ++image) {
    forEachPiece(
        static_cast<std::size_t>(rows), static_cast<std::size_t>(grain),
        [&](std::size_t first, std::size_t end) {
          PaddedRows padded(shapes.window, channels, source + image * perImage, x.layout());
          for (std::size_t row = first; row < end; ++row) {
            const auto place = image * rows + static_cast<std::int64_t>(row);
            float* line = target + place * across.output * filters;
            multiplyPanels({.runs = padded.at(static_cast<std::int64_t>(row)),
                            .runLength = static_cast<std::size_t>(across.kernel * channels),
                            .aStride = static_cast<std::size_t>(across.stride * channels),
                            .rows = static_cast<std::size_t>(across.output),
                            .panels = factor->panels(),
                            .n = static_cast<std::size_t>(filters),
                            .firstPanel = 0,
                            .endPanel = panelCount(static_cast<std::size_t>(filters)),
                            .y = line,
                            .yStride = static_cast<std::size_t>(filters),
                            .bias = addends});
            if (next == nullptr) continue;
            next->runOnPart(static_cast<std::size_t>(line - target),
                            {line, static_cast<std::size_t>(across.output * filters)});
          }
        });
  }
  return y;
}

}  // namespace quantscope
