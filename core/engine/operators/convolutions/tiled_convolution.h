#pragma once

#include <optional>
#include <vector>

#include "engine/fusion/element_program.h"
#include "engine/onednn/weight_packer.h"
#include "engine/operators/convolutions/convolution_primitive.h"

namespace quantscope {

/// A convolution for one set of shapes, cut into tiles that run as parts of an item: images, rows
/// of the output, or output channels. The cut depends on the shapes alone.
class TiledConvolution {
 public:
  /// Like makeConvolutionPrimitive, which makes the primitives of the tiles.
  static std::optional<TiledConvolution> make(const ConvolutionShapes& shapes, const Shape& x,
                                              bool biased, bool transposed);

  /// Fills y from x, both channels-last, all float32. `packer` keeps the rearranged weights; `bias`
  /// is defined where it was said to be; `next`, which may be null, is carried out on y.
  void run(const Tensor& x, const Tensor& weights, const Tensor& bias,
           const onednn::WeightPacker& packer, Tensor& y, const ElementProgram* next) const;

  /// Whether oneDNN has only its plain loops for a tile.
  [[nodiscard]] bool hasReferenceTile() const;

 private:
  /// Where a tile begins, in elements and filters, and what computes it.
  struct Tile {
    std::size_t primitive;
    std::int64_t x;
    std::int64_t y;
    std::size_t filterPart;
  };
  struct Variant {
    ConvolutionShapes shapes;
    Shape x;
    ConvolutionPrimitive primitive;
  };

  TiledConvolution(bool biased, bool transposed) : m_biased(biased), m_transposed(transposed) {}
  bool cut(const ConvolutionShapes& shapes, const Shape& x);
  void restart();
  bool cutImages(const ConvolutionShapes& shapes, const Shape& x, std::int64_t count);
  bool cutRows(const ConvolutionShapes& shapes, const Shape& x, std::size_t axis,
               const std::vector<std::int64_t>& rows);
  bool cutFilters(const ConvolutionShapes& shapes, const Shape& x, std::int64_t parts);
  bool addTile(const ConvolutionShapes& shapes, const Shape& x, std::int64_t xOffset,
               std::int64_t yOffset, std::size_t filterPart);
  void runTile(const Tile& tile, const float* x, const onednn::PackedWeights& packed,
               const float* bias, float* y) const;

  bool m_biased;
  bool m_transposed;
  std::int64_t m_filters = 0;
  std::size_t m_filterParts = 1;
  std::vector<Variant> m_variants;
  std::vector<Tile> m_tiles;
};

}  // namespace quantscope
