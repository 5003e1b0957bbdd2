#include "engine/operators/convolutions/winograd_convolution.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "base/part_loop.h"
#include "engine/operators/convolutions/filters_by_row.h"
#include "kernels/network/winograd.h"

namespace quantscope {
namespace {

constexpr std::int64_t kTileExtent = 2;
// Transforms cost about as much as so many products per channel and per filter: with few of them
// the direct sums are the faster ones (measured on AVX-512).
constexpr std::int64_t kTransformCost = 12;
// Filters of which the products of a part are kept at once.
constexpr std::int64_t kFiltersAtOnce = 64;
// Elements, half a MiB, that a part keeps of inputs and products, ...
constexpr std::int64_t kPartElements = std::int64_t{128} << 10;
// ... but tiles that are worth reading the filters for.
constexpr std::int64_t kLeastTiles = 48;
// Tiles from which on these products are the faster ones where the filters are few (measured on
// AVX-512).
constexpr std::int64_t kFewTiles = 16;
// Filters that many elements do not stay in the second cache level: parts share them out ...
constexpr std::int64_t kManyElements = std::int64_t{512} << 10;
// ... in so many, each of which transforms the inputs anew.
constexpr std::int64_t kFiltersOfPart = 2 * kFiltersAtOnce;
// Minimum cost of a part of an item, in products: about 20 µs.
constexpr std::int64_t kTilesCost = std::int64_t{1} << 20;
// A cache line between what else would lie in the same set of the first cache level.
constexpr std::int64_t kGap = 16;

std::int64_t tilesAcross(const ConvolutionShapes& shapes) {
  return divideUp(shapes.window.axes[1].output, kTileExtent);
}

std::int64_t tileCount(const ConvolutionShapes& shapes) {
  return divideUp(shapes.window.axes[0].output, kTileExtent) * tilesAcross(shapes);
}

std::int64_t elementsOfFilters(const ConvolutionShapes& shapes) {
  return std::int64_t{kWinogradElements} * shapes.filtersPerGroup * shapes.channelsPerGroup;
}

// The transformed filters as a matrix [channel, column]: at once kFiltersAtOnce of them, or what is
// left, element by element.
Tensor transformed(const ConvolutionShapes& shapes, const Tensor& weights) {
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t filters = shapes.filtersPerGroup;
  const Tensor rows = filtersByRow(shapes, weights);
  Tensor result(ElementType::Float32, Shape{channels, std::int64_t{kWinogradElements} * filters});
  const float* const from = rows.values<float>().data();
  float* const to = result.mutableValues<float>().data();
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    for (std::int64_t filter = 0; filter < filters; filter += kFiltersAtOnce) {
      const auto count = static_cast<std::size_t>(std::min(kFiltersAtOnce, filters - filter));
      winogradFilters(from + channel * filters + filter,
                      static_cast<std::size_t>(channels * filters), count,
                      to + (channel * filters + filter) * std::int64_t{kWinogradElements}, count);
    }
  }
  return result;
}

/// Tiles and filters that a part computes.
struct Part {
  std::int64_t firstTile;
  std::int64_t endTile;
  std::int64_t firstFilter;
  std::int64_t endFilter;
};

/// How an image is cut into parts.
class Cut {
 public:
  explicit Cut(const ConvolutionShapes& shapes)
      : m_tiles(tileCount(shapes)),
        m_filters(shapes.filtersPerGroup),
        m_filtersOfPart(elementsOfFilters(shapes) > kManyElements ? kFiltersOfPart : m_filters) {
    const std::int64_t perTile =
        std::int64_t{kWinogradElements} * (shapes.channelsPerGroup + kFiltersAtOnce);
    const std::int64_t tilesOfPart = std::max(kLeastTiles, kPartElements / perTile);
    const std::int64_t cost = m_tiles * elementsOfFilters(shapes);
    const std::int64_t worthwhile = std::max<std::int64_t>(1, cost / kTilesCost);
    // Two at least, and an even number, which two threads finish together.
    std::int64_t parts = divideUp(m_tiles, tilesOfPart);
    if (m_filtersOfPart >= m_filters) parts += parts % 2;
    m_tilesOfPart = divideUp(m_tiles, std::min(parts, worthwhile));
  }

  std::int64_t parts() const { return tileParts() * divideUp(m_filters, m_filtersOfPart); }
  /// Parts with the same filters are neighbours.
  Part part(std::int64_t index) const {
    const std::int64_t tile = index % tileParts() * m_tilesOfPart;
    const std::int64_t filter = index / tileParts() * m_filtersOfPart;
    return {tile, std::min(m_tiles, tile + m_tilesOfPart), filter,
            std::min(m_filters, filter + m_filtersOfPart)};
  }
  /// Whether parts have all filters of their tiles.
  bool keepsFilters() const { return m_filtersOfPart >= m_filters; }

 private:
  std::int64_t tileParts() const { return divideUp(m_tiles, m_tilesOfPart); }

  std::int64_t m_tiles;
  std::int64_t m_filters;
  std::int64_t m_filtersOfPart;
  std::int64_t m_tilesOfPart;
};

/// The tiles of a part: where their inputs lie, and where their outputs belong.
class Tiles {
 public:
  Tiles(const ConvolutionShapes& shapes, const WinogradConvolution::Image& image, const Part& part)
      : m_shapes(shapes),
        m_image(image),
        m_zeros(static_cast<std::size_t>(shapes.channelsPerGroup)) {
    const std::int64_t across = tilesAcross(shapes);
    for (std::int64_t tile = part.firstTile; tile < part.endTile; ++tile) {
      add(tile / across * kTileExtent, tile % across * kTileExtent);
    }
  }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  std::span<const WinogradInputs> inputs() const { return m_inputs; }
  /// From filter `filter` on.
  std::span<const WinogradOutputs> outputs(std::int64_t filter) {
    for (WinogradOutputs& tile : m_outputs) {
      for (float*& output : tile) {
        if (output != nullptr) output += filter - m_filter;
      }
    }
    m_filter = filter;
    return m_outputs;
  }

 private:
  void add(std::int64_t row, std::int64_t column) {
    const WindowAxis& down = m_shapes.window.axes[0];
    const WindowAxis& across = m_shapes.window.axes[1];
    WinogradInputs inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::int64_t y = row - down.padBegin + static_cast<std::int64_t>(i / 4);
      const std::int64_t x = column - across.padBegin + static_cast<std::int64_t>(i % 4);
      const bool inside = y >= 0 && y < down.input && x >= 0 && x < across.input;
      inputs[i] =
          inside ? m_image.x + (y * across.input + x) * m_shapes.channelsPerGroup : m_zeros.data();
    }
    m_inputs.push_back(inputs);
    WinogradOutputs outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::int64_t y = row + static_cast<std::int64_t>(i / 2);
      const std::int64_t x = column + static_cast<std::int64_t>(i % 2);
      outputs[i] = y < down.output && x < across.output
                       ? m_image.y + (y * across.output + x) * m_shapes.filtersPerGroup
                       : nullptr;
    }
    m_outputs.push_back(outputs);
  }

  const ConvolutionShapes& m_shapes;
  const WinogradConvolution::Image& m_image;
  std::vector<float> m_zeros;
  std::vector<WinogradInputs> m_inputs;
  std::vector<WinogradOutputs> m_outputs;
  std::int64_t m_filter = 0;
};

/// Carries out `next` on the outputs of some tiles: pieces of lines.
void finish(const ConvolutionShapes& shapes, const WinogradConvolution::Image& image,
            const Part& part, const ProductFollowUp& next) {
  const std::int64_t width = shapes.window.axes[1].output;
  const std::int64_t height = shapes.window.axes[0].output;
  const std::int64_t across = tilesAcross(shapes);
  for (std::int64_t tile = part.firstTile; tile < part.endTile;) {
    const std::int64_t row = tile / across;
    const std::int64_t end = std::min(part.endTile, (row + 1) * across);
    const std::int64_t first = tile % across * kTileExtent;
    const std::int64_t count = std::min(width, (end - row * across) * kTileExtent) - first;
    for (std::int64_t y = row * kTileExtent; y < std::min(height, (row + 1) * kTileExtent); ++y) {
      const auto at = static_cast<std::size_t>((y * width + first) * shapes.filtersPerGroup);
      next.finishPart(image.first + at,
                      {image.y + at, static_cast<std::size_t>(count * shapes.filtersPerGroup)});
    }
    tile = end;
  }
}

}  // namespace

WinogradConvolution::WinogradConvolution(bool constantWeights) : m_filters(constantWeights) {}

bool WinogradConvolution::suits(const ConvolutionShapes& shapes) {
  const std::vector<WindowAxis>& axes = shapes.window.axes;
  const bool fits = axes.size() == 2 && std::ranges::all_of(axes, [](const WindowAxis& axis) {
                      return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
                    });
  constexpr auto kChannels = static_cast<std::int64_t>(kWinogradChannels);
  if (!fits || shapes.groups != 1 || shapes.channelsPerGroup < kChannels ||
      shapes.filtersPerGroup % kChannels != 0) {
    return false;
  }
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t filters = shapes.filtersPerGroup;
  const bool few = elementsOfFilters(shapes) <= kManyElements;
  return tileCount(shapes) >= (few ? kFewTiles : kLeastTiles) &&
         channels * filters >= kTransformCost * (channels + filters);
}

bool WinogradConvolution::run(const ConvolutionShapes& shapes, const Image& image,
                              const Tensor& weights, const ProductFollowUp& next) const {
  constexpr auto kElements = static_cast<std::int64_t>(kWinogradElements);
  const std::int64_t channels = shapes.channelsPerGroup;
  const auto filters = m_filters.of(
      weights, [&] { return transformed(shapes, weights); }, channels,
      kElements * shapes.filtersPerGroup);
  const Cut cut(shapes);
  std::atomic<bool> finite = true;
  forEachPart(static_cast<std::size_t>(cut.parts()), [&](std::size_t index) {
    const Part part = cut.part(static_cast<std::int64_t>(index));
    Tiles tiles(shapes, image, part);
    const std::int64_t count = part.endTile - part.firstTile;
    const std::int64_t inputStride = count * channels + kGap;
    Tensor inputs(ElementType::Float32, Shape{kElements, inputStride});
    float* const x = inputs.mutableValues<float>().data();
    winogradInputs(tiles.inputs(), static_cast<std::size_t>(channels), x,
                   static_cast<std::size_t>(inputStride));
    Tensor products(ElementType::Float32, Shape{count, kElements * kFiltersAtOnce + kGap});
    float* const y = products.mutableValues<float>().data();
    for (std::int64_t filter = part.firstFilter; filter < part.endFilter;
         filter += kFiltersAtOnce) {
      const auto some = static_cast<std::size_t>(std::min(kFiltersAtOnce, part.endFilter - filter));
      const std::size_t panels = panelCount(some);
      const std::size_t yStride = kWinogradElements * some + kGap;
      for (std::size_t element = 0; element < kWinogradElements; ++element) {
        const float* const run = x + static_cast<std::int64_t>(element) * inputStride;
        multiplyPanels({.a = {.runs = {&run, 1},
                              .runLength = static_cast<std::size_t>(channels),
                              .stride = static_cast<std::size_t>(channels),
                              .count = static_cast<std::size_t>(count)},
                        .panels = filters->panels() + filter * kElements * channels,
                        .n = kWinogradElements * some,
                        .firstPanel = element * panels,
                        .endPanel = (element + 1) * panels,
                        .nextPanel = (element + 1) * panels,
                        .y = y,
                        .yStride = yStride});
      }
      const bool allFinite =
          winogradOutputs({.products = y,
                           .stride = yStride,
                           .filters = some,
                           .bias = image.bias == nullptr ? nullptr : image.bias + filter,
                           .bounds = next.bounds()},
                          tiles.outputs(filter));
      if (!allFinite) finite = false;
    }
    if (cut.keepsFilters()) finish(shapes, image, part, next);
  });
  if (!cut.keepsFilters()) {
    next.finishPart(image.first, {image.y, static_cast<std::size_t>(shapes.window.positions() *
                                                                    shapes.filtersPerGroup)});
  }
  return finite;
}

}  // namespace quantscope
