#include "engine/operators/convolutions/tiled_convolution.h"

#include <algorithm>
#include <array>

#include "base/part_loop.h"

namespace quantscope {
namespace {

// Minimum cost of a tile, in products: about 20 µs.
constexpr std::int64_t kTileCost = std::int64_t{1} << 20;
// Cost of reading or writing an element, in products: depthwise filters do little else.
constexpr std::int64_t kElementCost = 16;
// Weights that many do not stay in the second cache level from tile to tile.
constexpr std::int64_t kManyWeights = std::int64_t{64} << 10;
// Places that make it worth while to read many weights once more.
constexpr std::int64_t kLeastPlaces = 36;
// With few places and many weights, every tile has filters of its own.
constexpr std::int64_t kFewPlaces = 400;
// Filters that oneDNN's kernels compute at once, best first.
constexpr std::array<std::int64_t, 3> kFilterBlocks{64, 32, 16};

std::int64_t weightCount(const ConvolutionShapes& shapes) {
  return shapes.groups * shapes.filtersPerGroup * shapes.channelsPerGroup * shapes.window.taps();
}

std::int64_t costOf(const ConvolutionShapes& shapes, const Shape& x) {
  const std::int64_t products = shapes.output[0] * shapes.window.positions() * weightCount(shapes);
  const auto elements = static_cast<std::int64_t>(x.elementCount() + shapes.output.elementCount());
  return products + kElementCost * elements;
}

bool isSinglePlace(const WindowAxis& axis) {
  return axis.input == 1 && axis.kernel == 1 && axis.output == 1 && axis.padBegin == 0 &&
         axis.padEnd == 0;
}

// [N, C, H, 1] is the same memory as [N, C, 1, H]. oneDNN's kernels work on runs along the last
// axis: on columns of single places they take four times as long.
void putSinglePlacesFirst(ConvolutionShapes& shapes, Shape& x, bool transposed) {
  std::vector<WindowAxis>& axes = shapes.window.axes;
  std::stable_partition(axes.begin(), axes.end(), isSinglePlace);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    x[i + 2] = transposed ? axes[i].output : axes[i].input;
    shapes.output[i + 2] = transposed ? axes[i].input : axes[i].output;
  }
}

// The input window of `count` outputs from `first` on; nullopt if a window lies outside the input.
std::optional<WindowAxis> slice(const WindowAxis& axis, std::int64_t first, std::int64_t count) {
  const std::int64_t begin = first * axis.stride - axis.padBegin;
  const std::int64_t end = begin + (count - 1) * axis.stride + axis.span();
  const std::int64_t from = std::max<std::int64_t>(0, begin);
  const std::int64_t to = std::min(axis.input, end);
  if (from >= to || begin + axis.span() <= 0 || end - axis.span() >= axis.input) return {};
  WindowAxis part = axis;
  part.input = to - from;
  part.padBegin = from - begin;
  part.padEnd = end - to;
  part.output = count;
  return part;
}

// The largest even number of equal parts of whole blocks that is not above `most`; 1 if there is
// none. An odd number leaves every second thread without work at the end.
std::int64_t filterParts(std::int64_t filters, std::int64_t most) {
  for (const std::int64_t block : kFilterBlocks) {
    for (std::int64_t parts = most - most % 2; parts > 1; parts -= 2) {
      if (filters % (parts * block) == 0) return parts;
    }
  }
  return 1;
}

// Tiles that differ by one at most.
std::vector<std::int64_t> evenly(std::int64_t count, std::int64_t tiles) {
  std::vector<std::int64_t> parts(static_cast<std::size_t>(tiles), count / tiles);
  for (std::int64_t i = 0; i < count % tiles; ++i) ++parts[static_cast<std::size_t>(i)];
  return parts;
}

}  // namespace

std::optional<TiledConvolution> TiledConvolution::make(const ConvolutionShapes& given,
                                                       const Shape& givenX, bool biased,
                                                       bool transposed) {
  ConvolutionShapes shapes = given;
  Shape x = givenX;
  putSinglePlacesFirst(shapes, x, transposed);
  TiledConvolution tiled(biased, transposed);
  tiled.m_filters = shapes.output[1];
  if (tiled.cut(shapes, x)) return tiled;
  // The whole as the only tile.
  tiled.restart();
  if (!tiled.addTile(shapes, x, 0, 0, 0)) return std::nullopt;
  return tiled;
}

void TiledConvolution::restart() {
  m_filterParts = 1;
  m_variants.clear();
  m_tiles.clear();
}

bool TiledConvolution::cut(const ConvolutionShapes& shapes, const Shape& x) {
  const std::int64_t images = shapes.output[0];
  std::int64_t tiles = costOf(shapes, x) / kTileCost;
  if (tiles < 2) return false;
  tiles += tiles % 2;
  if (images > 1) return cutImages(shapes, x, divideUp(images, tiles));
  if (m_transposed) return false;
  const std::int64_t places = shapes.window.positions();
  const bool manyWeights = weightCount(shapes) > kManyWeights;
  if (manyWeights && places <= kFewPlaces && shapes.groups == 1) {
    const std::int64_t parts = filterParts(m_filters, tiles);
    if (parts > 1) return cutFilters(shapes, x, parts);
  }
  const std::vector<WindowAxis>& axes = shapes.window.axes;
  const auto axis = std::ranges::find_if_not(axes, isSinglePlace);
  if (axis == axes.end()) return false;
  const std::int64_t placesInRow = places / axis->output;
  const std::int64_t leastRows = manyWeights ? divideUp(kLeastPlaces, placesInRow) : 1;
  const std::int64_t most = std::min(tiles, axis->output / leastRows);
  const auto place = static_cast<std::size_t>(axis - axes.begin());
  for (std::int64_t count = most - most % 2; count > 1; count -= 2) {
    if (cutRows(shapes, x, place, evenly(axis->output, count))) return true;
    restart();
  }
  return false;
}

bool TiledConvolution::cutImages(const ConvolutionShapes& shapes, const Shape& x,
                                 std::int64_t count) {
  const std::int64_t images = shapes.output[0];
  const std::int64_t inputs = static_cast<std::int64_t>(x.elementCount()) / images;
  const std::int64_t outputs = static_cast<std::int64_t>(shapes.output.elementCount()) / images;
  ConvolutionShapes part = shapes;
  Shape partX = x;
  for (std::int64_t image = 0; image < images; image += count) {
    partX[0] = part.output[0] = std::min(count, images - image);
    if (!addTile(part, partX, image * inputs, image * outputs, 0)) return false;
  }
  return true;
}

bool TiledConvolution::cutRows(const ConvolutionShapes& shapes, const Shape& x, std::size_t axis,
                               const std::vector<std::int64_t>& rows) {
  const WindowAxis& whole = shapes.window.axes[axis];
  const std::int64_t inputs = static_cast<std::int64_t>(x.elementCount()) / whole.input;
  const std::int64_t outputs =
      static_cast<std::int64_t>(shapes.output.elementCount()) / whole.output;
  std::int64_t row = 0;
  for (const std::int64_t count : rows) {
    const auto part = slice(whole, row, count);
    if (!part) return false;
    ConvolutionShapes partShapes = shapes;
    Shape partX = x;
    partShapes.window.axes[axis] = *part;
    partShapes.output[axis + 2] = part->output;
    partX[axis + 2] = part->input;
    const std::int64_t from = std::max<std::int64_t>(0, row * whole.stride - whole.padBegin);
    if (!addTile(partShapes, partX, from * inputs, row * outputs, 0)) return false;
    row += count;
  }
  return true;
}

bool TiledConvolution::cutFilters(const ConvolutionShapes& shapes, const Shape& x,
                                  std::int64_t parts) {
  ConvolutionShapes part = shapes;
  part.filtersPerGroup = part.output[1] = m_filters / parts;
  m_filterParts = static_cast<std::size_t>(parts);
  for (std::size_t i = 0; i < m_filterParts; ++i) {
    const auto offset = static_cast<std::int64_t>(i) * part.filtersPerGroup;
    if (!addTile(part, x, 0, offset, i)) return false;
  }
  return true;
}

// All tiles share the packed weights; false where oneDNN lacks a convolution, or a kernel, for this
// one with weights in that order.
bool TiledConvolution::addTile(const ConvolutionShapes& shapes, const Shape& x,
                               std::int64_t xOffset, std::int64_t yOffset, std::size_t filterPart) {
  const auto same = std::ranges::find_if(m_variants, [&](const Variant& known) {
    return known.x == x && known.shapes.output == shapes.output &&
           std::ranges::equal(known.shapes.window.axes, shapes.window.axes);
  });
  const auto index = static_cast<std::size_t>(same - m_variants.begin());
  if (same == m_variants.end()) {
    auto primitive = makeConvolutionPrimitive(
        shapes, x, m_biased, m_transposed,
        m_variants.empty() ? nullptr : &m_variants.front().primitive.packedWeights);
    if (!primitive || (primitive->isReference && !m_variants.empty())) return false;
    m_variants.push_back({shapes, x, std::move(*primitive)});
  }
  m_tiles.push_back({index, xOffset, yOffset, filterPart});
  return true;
}

bool TiledConvolution::hasReferenceTile() const {
  return std::ranges::any_of(m_variants,
                             [](const Variant& known) { return known.primitive.isReference; });
}

void TiledConvolution::run(const Tensor& x, const Tensor& weights, const Tensor& bias,
                           const onednn::WeightPacker& packer, Tensor& y,
                           const ElementProgram* next) const {
  const ConvolutionPrimitive& first = m_variants.front().primitive;
  const auto packed = packer.pack(weights, first.plainWeights, first.packedWeights, m_filterParts);
  const float* source = x.values<float>().data();
  const float* addends = m_biased ? bias.values<float>().data() : nullptr;
  const std::span<float> target = y.mutableValues<float>();
  // Tiles of filters lie in each other's gaps.
  const bool inTiles = next != nullptr && m_filterParts == 1;
  forEachPart(m_tiles.size(), [&](std::size_t index) {
    const Tile& tile = m_tiles[index];
    runTile(tile, source, *packed, addends, target.data());
    if (!inTiles) return;
    const auto begin = static_cast<std::size_t>(tile.y);
    next->runOnPart(begin,
                    target.subspan(begin, m_variants[tile.primitive].shapes.output.elementCount()));
  });
  if (next != nullptr && !inTiles) next->run(target, target);
}

void TiledConvolution::runTile(const Tile& tile, const float* x,
                               const onednn::PackedWeights& packed, const float* bias,
                               float* y) const {
  const Variant& variant = m_variants[tile.primitive];
  const onednn::PrimitiveCall& call = *variant.primitive.call;
  const std::int64_t filters = variant.shapes.output[1];
  const auto runInto = [&](float* target) {
    const void* weights = packed.data(tile.filterPart);
    if (m_biased) {
      call.run({x + tile.x, weights, target,
                bias + static_cast<std::int64_t>(tile.filterPart) * filters});
    } else {
      call.run({x + tile.x, weights, target});
    }
  };
  if (m_filterParts == 1) return runInto(y + tile.y);
  // oneDNN's kernels write dense results only.
  Tensor dense(ElementType::Float32, variant.shapes.output, Layout::ChannelsLast);
  float* from = dense.mutableValues<float>().data();
  runInto(from);
  const std::int64_t places = variant.shapes.window.positions();
  for (std::int64_t place = 0; place < places; ++place, from += filters) {
    std::copy_n(from, filters, y + tile.y + place * m_filters);
  }
}

}  // namespace quantscope
