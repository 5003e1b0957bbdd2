#include "engine/operators/convolutions/filter_bank.h"

#include <algorithm>
#include <vector>

#include "base/part_loop.h"
#include "engine/operators/window_walker.h"
#include "kernels/network/weighted_rows.h"
#include "tensor/transpose_plane.h"

namespace quantscope {
namespace {

// Below, a sum is short enough that its order hardly shows.
constexpr std::int64_t kLongFilter = 64;
// Positions whose columns are laid out together: 256 rows of them stay in the second-level cache.
constexpr std::size_t kTile = 256;

// MLAS halves its stride over columns of 128, down to 16, and doubles that over rows as long as
// the columns fit into the half.
std::int64_t rowsPerBlock(std::int64_t taps, std::int64_t positions) {
  std::int64_t rows = 128;
  if (positions >= taps) return rows;
  for (std::int64_t columns = 128; columns > 16 && columns / 2 >= positions; columns /= 2) {
    rows *= 2;
  }
  return rows;
}

std::size_t paddedColumns(std::int64_t count) {
  const auto columns = static_cast<std::size_t>(count);
  return (columns + kWeightedColumns - 1) / kWeightedColumns * kWeightedColumns;
}

Window withoutLastAxis(Window window) {
  window.axes.pop_back();
  return window;
}

/// The input of each tap of the filter at positions [first, first + count): [taps, columns].
class ColumnTile {
 public:
  explicit ColumnTile(const Window& window)
      : m_outer(withoutLastAxis(window)),
        m_walker(m_outer),
        m_inner(window.axes.back()),
        m_taps(window.taps()) {}

  void fill(const float* plane, std::int64_t first, std::int64_t count) {
    m_columns = paddedColumns(count);
    m_rows.assign(static_cast<std::size_t>(m_taps) * m_columns, 0.0F);
    // Positions that differ along the innermost axis alone take each tap in one strided copy.
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t place = (first + done) % m_inner.output;
      const std::int64_t run = std::min(count - done, m_inner.output - place);
      for (const WindowWalker::Tap& tap : m_walker.at((first + done) / m_inner.output)) {
        copyTaps(
            plane + tap.source * m_inner.input, place, run,
            m_rows.data() + tap.tap * m_inner.kernel * static_cast<std::int64_t>(m_columns) + done);
      }
      done += run;
    }
  }

  const float* rows() const { return m_rows.data(); }
  std::size_t columns() const { return m_columns; }

 private:
  // The innermost taps at `run` places from `place` on: rows of the tile from `target` on.
  void copyTaps(const float* line, std::int64_t place, std::int64_t run, float* target) const {
    const std::int64_t stride = m_inner.stride;
    for (std::int64_t tap = 0; tap < m_inner.kernel; ++tap) {
      const std::int64_t start = place * stride - m_inner.padBegin + tap * m_inner.dilation;
      const std::int64_t begin = std::max<std::int64_t>(0, divideUp(-start, stride));
      const std::int64_t end = std::min(run, divideUp(m_inner.input - start, stride));
      float* row = target + tap * static_cast<std::int64_t>(m_columns);
      for (std::int64_t i = begin; i < end; ++i) row[i] = line[start + i * stride];
    }
  }

  Window m_outer;
  WindowWalker m_walker;
  WindowAxis m_inner;
  std::int64_t m_taps;
  std::size_t m_columns = 0;
  std::vector<float> m_rows;
};

}  // namespace

FilterBank::FilterBank(bool constantWeights) : m_panels(constantWeights) {}

bool FilterBank::suits(const ConvolutionShapes& shapes) {
  return shapes.groups == 1 && shapes.channelsPerGroup == 1 && shapes.window.taps() >= kLongFilter;
}

Tensor FilterBank::run(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
                       const Tensor& bias) const {
  Tensor y(ElementType::Float32, shapes.output);
  if (y.elementCount() == 0) return y;
  const std::int64_t images = shapes.output[0];
  const std::int64_t positions = shapes.window.positions();
  const auto plane = static_cast<std::int64_t>(x.elementCount()) / images;
  const bool inOneBlock = rowsPerBlock(shapes.window.taps(), positions) >= shapes.window.taps();
  for (std::int64_t image = 0; image < images; ++image) {
    const float* from = x.values<float>().data() + image * plane;
    float* to = y.mutableValues<float>().data() + image * shapes.filtersPerGroup * positions;
    if (inOneBlock && shapes.filtersPerGroup > 1) {
      runByFilters(shapes, from, weights, bias, to);
    } else {
      runByPositions(shapes, from, weights, bias, to);
    }
  }
  return y;
}

// Few positions, whose sums are those of a matrix product: [positions, taps] · [taps, filters].
void FilterBank::runByFilters(const ConvolutionShapes& shapes, const float* x,
                              const Tensor& weights, const Tensor& bias, float* y) const {
  const std::int64_t filters = shapes.filtersPerGroup;
  const std::int64_t taps = shapes.window.taps();
  const std::int64_t positions = shapes.window.positions();
  ColumnTile tile(shapes.window);
  tile.fill(x, 0, positions);
  std::vector<float> rows(static_cast<std::size_t>(positions * taps));
  std::vector<float> sums(static_cast<std::size_t>(positions * filters));
  transposePlane(reinterpret_cast<const std::byte*>(tile.rows()),
                 reinterpret_cast<std::byte*>(rows.data()), sizeof(float),
                 {.rows = positions,
                  .columns = taps,
                  .sourceStride = static_cast<std::int64_t>(tile.columns()),
                  .targetStride = taps});
  const auto panels =
      m_panels.of(weights, {weights.values<float>().data(), 1, taps}, taps, filters);
  panels->multiply(rows.data(), positions, bias.defined() ? bias.values<float>().data() : nullptr,
                   sums.data());
  transposePlane(
      reinterpret_cast<const std::byte*>(sums.data()), reinterpret_cast<std::byte*>(y),
      sizeof(float),
      {.rows = filters, .columns = positions, .sourceStride = filters, .targetStride = positions});
}

void FilterBank::runByPositions(const ConvolutionShapes& shapes, const float* x,
                                const Tensor& weights, const Tensor& bias, float* y) {
  const std::int64_t filters = shapes.filtersPerGroup;
  const std::int64_t taps = shapes.window.taps();
  const std::int64_t positions = shapes.window.positions();
  const auto block = static_cast<std::size_t>(rowsPerBlock(taps, positions));
  const float* addends = bias.defined() ? bias.values<float>().data() : nullptr;
  const float* bank = weights.values<float>().data();
  forEachPiece(static_cast<std::size_t>(positions), kTile, [&](std::size_t start, std::size_t end) {
    const auto first = static_cast<std::int64_t>(start);
    const std::int64_t count = static_cast<std::int64_t>(end) - first;
    ColumnTile tile(shapes.window);
    tile.fill(x, first, count);
    std::vector<float> sums(tile.columns());
    for (std::int64_t filter = 0; filter < filters; ++filter) {
      const std::span<const float> weight(bank + filter * taps, static_cast<std::size_t>(taps));
      if (filters == 1) {
        sumRowsByFours(weight, tile.rows(), sums);
      } else {
        sumRowsInBlocks(weight, tile.rows(), block, sums);
      }
      float* row = y + filter * positions + first;
      const float addend = addends == nullptr ? 0.0F : addends[filter];
      for (std::int64_t i = 0; i < count; ++i) row[i] = sums[static_cast<std::size_t>(i)] + addend;
    }
  });
}

}  // namespace quantscope
