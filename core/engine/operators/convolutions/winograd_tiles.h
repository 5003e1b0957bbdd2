#pragma once

#include <span>
#include <vector>

#include "engine/operators/convolutions/convolution_shapes.h"
#include "kernels/network/winograd.h"

namespace quantscope {

/// Filters of which the products of a part are kept at once.
inline constexpr std::int64_t kWinogradFiltersAtOnce = 64;

/// Tiles of an image, row by row, and filters.
struct WinogradPart {
  std::int64_t image;
  std::int64_t firstTile;
  std::int64_t endTile;
  std::int64_t firstFilter;
  std::int64_t endFilter;

  std::int64_t tiles() const { return endTile - firstTile; }
};

/// How images are cut into tiles of 2 × 2 outputs, and those into parts of an item. It depends on
/// the shapes alone.
class WinogradCut {
 public:
  explicit WinogradCut(const ConvolutionShapes& shapes);

  /// True where there are tiles enough to be worth reading the filters for.
  static bool suits(const ConvolutionShapes& shapes);

  std::int64_t parts() const { return m_images * partsOfImage(); }
  /// Parts with the same filters are neighbours.
  WinogradPart part(std::int64_t index) const;
  /// Whether parts have all filters of their tiles.
  bool keepsFilters() const { return m_filtersOfPart >= m_filters; }

 private:
  std::int64_t partsOfImage() const;

  std::int64_t m_images;
  std::int64_t m_tiles;  // of an image
  std::int64_t m_tilesOfPart;
  std::int64_t m_filters;
  std::int64_t m_filtersOfPart;
};

/// The tiles of a part: where their inputs lie, and where their outputs belong.
class WinogradTiles {
 public:
  /// x and y: of all images, channels-last.
  WinogradTiles(const ConvolutionShapes& shapes, const WinogradPart& part, const float* x,
                float* y);
  WinogradTiles(const WinogradTiles&) = delete;
  WinogradTiles& operator=(const WinogradTiles&) = delete;

  std::span<const WinogradInputs> inputs() const { return m_inputs; }
  /// From filter `filter` on; valid until the next call.
  std::span<const WinogradOutputs> outputs(std::int64_t filter);
  /// The outputs with all their filters: pieces of lines.
  std::vector<std::span<float>> lines() const;

 private:
  void add(std::int64_t row, std::int64_t column);

  const ConvolutionShapes& m_shapes;
  WinogradPart m_part;
  const float* m_x;  // of the image
  float* m_y;
  std::vector<float> m_zeros;  // the channels of a pad
  std::vector<WinogradInputs> m_inputs;
  std::vector<WinogradOutputs> m_outputs;
  std::int64_t m_filter = 0;
};

}  // namespace quantscope
