#include "engine/operators/convolutions/winograd_tiles.h"

#include <algorithm>

namespace quantscope {
namespace {

constexpr std::int64_t kTileExtent = 2;
constexpr auto kTileElements = static_cast<std::int64_t>(kWinogradElements);
// Elements, half a MiB, that a part keeps of inputs and products where it can, ...
constexpr std::int64_t kPartElements = std::int64_t{128} << 10;
// ... but tiles that are worth reading the filters for.
constexpr std::int64_t kLeastTiles = 48;
// The same where the filters stay in the second cache level (both measured on AVX-512).
constexpr std::int64_t kFewTiles = 16;
// Filters that many elements do not: parts share them out ...
constexpr std::int64_t kManyElements = std::int64_t{512} << 10;
// ... in so many, each of which transforms the inputs anew.
constexpr std::int64_t kFiltersOfPart = 2 * kWinogradFiltersAtOnce;
// Minimum cost of a part, in products: about 20 µs.
constexpr std::int64_t kTilesCost = std::int64_t{1} << 20;

std::int64_t tilesAcross(const ConvolutionShapes& shapes) {
  return divideUp(shapes.window.axes[1].output, kTileExtent);
}

std::int64_t tilesOfImage(const ConvolutionShapes& shapes) {
  return divideUp(shapes.window.axes[0].output, kTileExtent) * tilesAcross(shapes);
}

std::int64_t elementsOfFilters(const ConvolutionShapes& shapes) {
  return kTileElements * shapes.filtersPerGroup * shapes.channelsPerGroup;
}

std::int64_t elementsOfInput(const ConvolutionShapes& shapes) {
  return shapes.channelsPerGroup * shapes.window.axes[0].input * shapes.window.axes[1].input;
}

}  // namespace

WinogradCut::WinogradCut(const ConvolutionShapes& shapes)
    : m_images(shapes.output[0]),
      m_tiles(tilesOfImage(shapes)),
      m_filters(shapes.filtersPerGroup),
      m_filtersOfPart(elementsOfFilters(shapes) > kManyElements ? kFiltersOfPart : m_filters) {
  const std::int64_t perTile = kTileElements * (shapes.channelsPerGroup + kWinogradFiltersAtOnce);
  const std::int64_t most = std::max(kLeastTiles, kPartElements / perTile);
  const std::int64_t worthwhile =
      std::max<std::int64_t>(1, m_tiles * elementsOfFilters(shapes) / kTilesCost);
  // An even number, which two threads finish together.
  std::int64_t parts = divideUp(m_tiles, most);
  if (keepsFilters()) parts += parts % 2;
  m_tilesOfPart = divideUp(m_tiles, std::min(parts, worthwhile));
}

bool WinogradCut::suits(const ConvolutionShapes& shapes) {
  // In images of single lines, half of each tile is outside.
  const bool hasLines = std::ranges::all_of(shapes.window.axes,
                                            [](const WindowAxis& axis) { return axis.output > 1; });
  const bool few = elementsOfFilters(shapes) <= kManyElements;
  return hasLines && tilesOfImage(shapes) >= (few ? kFewTiles : kLeastTiles);
}

std::int64_t WinogradCut::partsOfImage() const {
  return divideUp(m_tiles, m_tilesOfPart) * divideUp(m_filters, m_filtersOfPart);
}

WinogradPart WinogradCut::part(std::int64_t index) const {
  const std::int64_t inImage = index % partsOfImage();
  const std::int64_t tileParts = divideUp(m_tiles, m_tilesOfPart);
  const std::int64_t tile = inImage % tileParts * m_tilesOfPart;
  const std::int64_t filter = inImage / tileParts * m_filtersOfPart;
  return {.image = index / partsOfImage(),
          .firstTile = tile,
          .endTile = std::min(m_tiles, tile + m_tilesOfPart),
          .firstFilter = filter,
          .endFilter = std::min(m_filters, filter + m_filtersOfPart)};
}

WinogradTiles::WinogradTiles(const ConvolutionShapes& shapes, const WinogradPart& part,
                             const float* x, float* y)
    : m_shapes(shapes),
      m_part(part),
      m_x(x + part.image * elementsOfInput(shapes)),
      m_y(y + part.image * shapes.filtersPerGroup * shapes.window.positions()),
      m_zeros(static_cast<std::size_t>(shapes.channelsPerGroup)) {
  m_inputs.reserve(static_cast<std::size_t>(part.tiles()));
  m_outputs.reserve(static_cast<std::size_t>(part.tiles()));
  const std::int64_t across = tilesAcross(shapes);
  for (std::int64_t tile = part.firstTile; tile < part.endTile; ++tile) {
    add(tile / across * kTileExtent, tile % across * kTileExtent);
  }
}

void WinogradTiles::add(std::int64_t row, std::int64_t column) {
  const WindowAxis& down = m_shapes.window.axes[0];
  const WindowAxis& across = m_shapes.window.axes[1];
  WinogradInputs& inputs = m_inputs.emplace_back();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::int64_t y = row - down.padBegin + static_cast<std::int64_t>(i / 4);
    const std::int64_t x = column - across.padBegin + static_cast<std::int64_t>(i % 4);
    const bool inside = y >= 0 && y < down.input && x >= 0 && x < across.input;
    inputs[i] = inside ? m_x + (y * across.input + x) * m_shapes.channelsPerGroup : m_zeros.data();
  }
  WinogradOutputs& outputs = m_outputs.emplace_back();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::int64_t y = row + static_cast<std::int64_t>(i / 2);
    const std::int64_t x = column + static_cast<std::int64_t>(i % 2);
    const bool inside = y < down.output && x < across.output;
    outputs[i] = inside ? m_y + (y * across.output + x) * m_shapes.filtersPerGroup : nullptr;
  }
}

std::span<const WinogradOutputs> WinogradTiles::outputs(std::int64_t filter) {
  for (WinogradOutputs& tile : m_outputs) {
    for (float*& output : tile) {
      if (output != nullptr) output += filter - m_filter;
    }
  }
  m_filter = filter;
  return m_outputs;
}

std::vector<std::span<float>> WinogradTiles::lines() const {
  std::vector<std::span<float>> lines;
  const std::int64_t width = m_shapes.window.axes[1].output;
  const std::int64_t height = m_shapes.window.axes[0].output;
  const std::int64_t filters = m_shapes.filtersPerGroup;
  const std::int64_t across = tilesAcross(m_shapes);
  for (std::int64_t tile = m_part.firstTile; tile < m_part.endTile;) {
    const std::int64_t row = tile / across;
    const std::int64_t end = std::min(m_part.endTile, (row + 1) * across);
    const std::int64_t first = tile % across * kTileExtent;
    const std::int64_t count = std::min(width, (end - row * across) * kTileExtent) - first;
    for (std::int64_t y = row * kTileExtent; y < std::min(height, (row + 1) * kTileExtent); ++y) {
      lines.emplace_back(m_y + (y * width + first) * filters,
                         static_cast<std::size_t>(count * filters));
    }
    tile = end;
  }
  return lines;
}

}  // namespace quantscope
