#include "engine/panel_matrix.h"

#include <algorithm>

#include "base/part_loop.h"

namespace quantscope {
namespace {

// Minimum cost of a tile, in products: about 20 µs.
constexpr std::size_t kTileCost = std::size_t{1} << 20;
// A product of fewer rows costs as much as reading the panels for this many rows.
constexpr std::size_t kLeastRows = 8;
// A node meets its own weights in every run, and others per quantization that is being evaluated.
constexpr std::size_t kConstantCapacity = 4;
// Rows of `a` for which a block stays in the second cache level; a multiple of the kernels' rows.
constexpr std::size_t kMaxRows = 192;

}  // namespace

PanelMatrix::PanelMatrix(const StridedMatrix& b, std::int64_t k, std::int64_t n)
    : m_k(static_cast<std::size_t>(k)),
      m_n(static_cast<std::size_t>(n)),
      m_panels(ElementType::Float32,
               Shape{static_cast<std::int64_t>(panelCount(m_n) * kPanelColumns), k}) {
  float* panels = m_panels.mutableValues<float>().data();
  const std::size_t panelSize = std::max<std::size_t>(1, m_k * kPanelColumns);
  forEachPiece(
      panelCount(m_n), std::max<std::size_t>(1, kPieceElements / panelSize),
      [&](std::size_t first, std::size_t end) { packPanels(b, m_k, m_n, first, end, panels); });
}

void PanelMatrix::multiply(const float* a, std::int64_t m, const float* bias, float* y) const {
  const auto rows = static_cast<std::size_t>(m);
  if (rows == 0 || m_n == 0) return;
  const std::size_t rowBlock = rows <= kMaxRows + kMaxRows / 4 ? rows : kMaxRows;
  const std::size_t rowBlocks = (rows + rowBlock - 1) / rowBlock;
  const std::size_t panelCost =
      std::max(kLeastRows, rowBlock) * std::max<std::size_t>(1, m_k) * kPanelColumns;
  // An even number: some kernels take two at once.
  const std::size_t grain = (kTileCost / panelCost + 2) / 2 * 2;
  const std::size_t columnBlocks = (panelCount(m_n) + grain - 1) / grain;
  // The panels of a tile are those of its neighbour, which begins with other rows.
  forEachPart(rowBlocks * columnBlocks, [&](std::size_t part) {
    const std::size_t row = part % rowBlocks * rowBlock;
    const float* const firstRow = a + row * m_k;
    const std::size_t panel = part / rowBlocks * grain;
    const PanelProduct tile{.runs = {&firstRow, 1},
                            .runLength = m_k,
                            .aStride = m_k,
                            .rows = std::min(rowBlock, rows - row),
                            .panels = panels(),
                            .n = m_n,
                            .firstPanel = panel,
                            .endPanel = std::min(panelCount(m_n), panel + grain),
                            .y = y + row * m_n,
                            .yStride = m_n,
                            .bias = bias};
    multiplyPanels(tile);
  });
}

PanelFactor::PanelFactor(bool constant) : m_constant(constant), m_entries(kConstantCapacity) {}

std::shared_ptr<const PanelMatrix> PanelFactor::of(const Tensor& source,
                                                   const StridedMatrix& matrix, std::int64_t k,
                                                   std::int64_t n) const {
  if (!m_constant) return std::make_shared<const PanelMatrix>(matrix, k, n);
  const auto entry = m_entries.findOrMake(
      [&](const Entry& known) { return known.source.sharesElementsWith(source); },
      [&] {
        return std::make_shared<const Entry>(Entry{source, PanelMatrix(matrix, k, n)});
      });
  return {entry, &entry->matrix};
}

std::shared_ptr<const PanelMatrix> PanelFactor::of(const Tensor& source,
                                                   const std::function<Tensor()>& rearranged,
                                                   std::int64_t k, std::int64_t n) const {
  const auto make = [&] {
    const Tensor matrix = rearranged();
    return PanelMatrix({matrix.values<float>().data(), n, 1}, k, n);
  };
  if (!m_constant) return std::make_shared<const PanelMatrix>(make());
  const auto entry = m_entries.findOrMake(
      [&](const Entry& known) { return known.source.sharesElementsWith(source); },
      [&] {
        return std::make_shared<const Entry>(Entry{source, make()});
      });
  return {entry, &entry->matrix};
}

}  // namespace quantscope
