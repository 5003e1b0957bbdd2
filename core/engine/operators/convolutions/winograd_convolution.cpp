#include "engine/operators/convolutions/winograd_convolution.h"

#include <algorithm>
#include <atomic>

#include "base/part_loop.h"
#include "engine/operators/convolutions/filter_panels.h"
#include "engine/operators/convolutions/winograd_tiles.h"

namespace quantscope {
namespace {

constexpr auto kElements = static_cast<std::int64_t>(kWinogradElements);
// Transforms cost about as much as so many products per channel and per filter: with few of them
// the direct sums are the faster ones (measured on AVX-512).
constexpr std::int64_t kTransformCost = 12;
// A cache line between what else would lie in the same set of the first cache level.
constexpr std::int64_t kGap = 16;

// Writes the panels of a matrix [channel, column]. Its columns are kWinogradFiltersAtOnce filters
// at a time, or what is left, element by element.
void packTransformed(const ConvolutionShapes& shapes, const Tensor& weights, float* panels) {
  static_assert(kPanelColumns == kWinogradChannels && kWinogradFiltersAtOnce % kPanelColumns == 0);
  constexpr std::size_t kPanelsAtOnce = kWinogradFiltersAtOnce / kPanelColumns;
  const auto channels = static_cast<std::size_t>(shapes.channelsPerGroup);
  const std::size_t count = panelCount(static_cast<std::size_t>(shapes.filtersPerGroup));
  const std::size_t size = channels * kPanelColumns;
  forEachPanel(kWinogradElements * channels, count, [&](std::size_t begin, std::size_t end) {
    std::vector<float> gathered(kWinogradTaps * size);
    for (std::size_t panel = begin; panel < end; ++panel) {
      gatherFilters(shapes, weights, panel, gathered.data());
      const std::size_t first = panel / kPanelsAtOnce * kPanelsAtOnce;
      const std::size_t together = std::min(kPanelsAtOnce, count - first);
      winogradFilters(gathered.data(), channels,
                      panels + (first * kWinogradElements + panel - first) * size, together * size);
    }
  });
}

/// The products of some tiles with some filters.
class TileProducts {
 public:
  /// Transforms the inputs of the tiles.
  TileProducts(std::span<const WinogradInputs> tiles, std::int64_t channels)
      : m_channels(channels),
        m_tiles(static_cast<std::int64_t>(tiles.size())),
        m_stride(m_tiles * channels + kGap),
        m_inputs(ElementType::Float32, Shape{kElements, m_stride}),
        m_products(ElementType::Float32,
                   Shape{m_tiles, kElements * kWinogradFiltersAtOnce + kGap}) {
    winogradInputs(tiles, static_cast<std::size_t>(channels),
                   m_inputs.mutableValues<float>().data(), static_cast<std::size_t>(m_stride));
  }

  /// Of so many filters, of which `panels` are those of packTransformed.
  void multiply(const float* panels, std::size_t filters) {
    m_filters = filters;
    const auto channels = static_cast<std::size_t>(m_channels);
    const std::size_t panelsOfElement = panelCount(filters);
    for (std::size_t element = 0; element < kWinogradElements; ++element) {
      const float* const run =
          m_inputs.values<float>().data() + static_cast<std::int64_t>(element) * m_stride;
      multiplyPanels({.a = {.runs = {&run, 1},
                            .runLength = channels,
                            .stride = channels,
                            .count = static_cast<std::size_t>(m_tiles)},
                      .panels = panels,
                      .n = kWinogradElements * filters,
                      .firstPanel = element * panelsOfElement,
                      .endPanel = (element + 1) * panelsOfElement,
                      .nextPanel = (element + 1) * panelsOfElement,
                      .y = m_products.mutableValues<float>().data(),
                      .yStride = tileStride()});
    }
  }

  /// False if a sum is not finite.
  bool finish(const float* bias, const ElementBounds& bounds,
              std::span<const WinogradOutputs> outputs) const {
    return winogradOutputs({.products = m_products.values<float>().data(),
                            .stride = tileStride(),
                            .filters = m_filters,
                            .bias = bias,
                            .bounds = bounds},
                           outputs);
  }

 private:
  std::size_t tileStride() const { return kWinogradElements * m_filters + kGap; }

  std::int64_t m_channels;
  std::int64_t m_tiles;
  std::int64_t m_stride;  // from element to element of the inputs
  Tensor m_inputs;
  Tensor m_products;
  std::size_t m_filters = 0;
};

}  // namespace

WinogradConvolution::WinogradConvolution(bool constantWeights) : m_filters(constantWeights) {}

bool WinogradConvolution::suits(const ConvolutionShapes& shapes) {
  const std::vector<WindowAxis>& axes = shapes.window.axes;
  const bool fits = axes.size() == 2 && std::ranges::all_of(axes, [](const WindowAxis& axis) {
                      return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
                    });
  constexpr auto kChannels = static_cast<std::int64_t>(kWinogradChannels);
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t filters = shapes.filtersPerGroup;
  return fits && shapes.groups == 1 && channels >= kChannels && filters % kChannels == 0 &&
         channels * filters >= kTransformCost * (channels + filters) && WinogradCut::suits(shapes);
}

std::vector<std::int64_t> WinogradConvolution::run(const ConvolutionShapes& shapes,
                                                   const Operands& operands,
                                                   const ProductFollowUp& next) const {
  const std::int64_t channels = shapes.channelsPerGroup;
  const auto filters =
      m_filters.of(operands.weights, channels, kElements * shapes.filtersPerGroup,
                   [&](float* panels) { packTransformed(shapes, operands.weights, panels); });
  const WinogradCut cut(shapes);
  std::vector<std::atomic<bool>> spoilt(static_cast<std::size_t>(shapes.output[0]));
  forEachPart(static_cast<std::size_t>(cut.parts()), [&](std::size_t index) {
    const WinogradPart part = cut.part(static_cast<std::int64_t>(index));
    WinogradTiles tiles(shapes, part, operands.x, operands.y);
    TileProducts products(tiles.inputs(), channels);
    for (std::int64_t filter = part.firstFilter; filter < part.endFilter;
         filter += kWinogradFiltersAtOnce) {
      products.multiply(
          filters->panels() + filter * kElements * channels,
          static_cast<std::size_t>(std::min(kWinogradFiltersAtOnce, part.endFilter - filter)));
      const float* const bias = operands.bias == nullptr ? nullptr : operands.bias + filter;
      if (!products.finish(bias, next.bounds(), tiles.outputs(filter))) {
        spoilt[static_cast<std::size_t>(part.image)] = true;
      }
    }
    if (!cut.keepsFilters()) return;
    for (const std::span<float> line : tiles.lines()) {
      next.finishPart(static_cast<std::size_t>(line.data() - operands.y), line);
    }
  });
  if (!cut.keepsFilters()) {
    const std::int64_t outputs = shapes.output.elementCount();
    next.finishInParts(0, {operands.y, static_cast<std::size_t>(outputs)});
  }
  std::vector<std::int64_t> again;
  for (std::size_t image = 0; image < spoilt.size(); ++image) {
    if (spoilt[image]) again.push_back(static_cast<std::int64_t>(image));
  }
  return again;
}

}  // namespace quantscope
