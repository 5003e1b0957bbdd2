#include "engine/panel_matrix.h"

#include <algorithm>
#include <vector>

#include "base/part_loop.h"

namespace quantscope {
namespace {

// Minimum cost of a part of an item, in products: about 20 µs.
constexpr std::size_t kPartCost = std::size_t{1} << 20;
// Elements of b, half a MiB, that stay in a second cache level of one beside rows of a and y.
constexpr std::size_t kFewElements = std::size_t{128} << 10;
// Rows of a part of which the columns are cut, too: those of a stay in the second cache level for a
// block of k. A multiple of the kernels' rows.
constexpr std::size_t kMaxRows = 192;
constexpr std::size_t kRowsAtOnce = 6;
// Panels of a part are a multiple of these, which the widest kernel takes at once, ...
constexpr std::size_t kPanelsAtOnce = 4;
// ... and as many as these where that leaves enough parts: they share the rows of `a`.
constexpr std::size_t kMostPanels = 16;
constexpr std::size_t kEnoughParts = 16;
// A product of fewer rows costs as much as reading the panels for this many rows.
constexpr std::size_t kLeastRows = 8;
// A node meets its own weights in every run, and others per quantization that is being evaluated.
constexpr std::size_t kConstantCapacity = 4;

constexpr std::size_t roundUpTo(std::size_t step, std::size_t x) {
  return (x + step - 1) / step * step;
}

/// At most `count` rows of others, from row `first` on, which is 0 where they lie in lines.
class RowsFrom {
 public:
  RowsFrom(const FactorRows& all, std::size_t first, std::size_t count)
      : m_runs(all.runs.begin(), all.runs.end()), m_rows(all) {
    for (const float*& run : m_runs) run += first * all.stride;
    m_rows.runs = m_runs;
    m_rows.count = std::min(count, all.count - first);
  }
  RowsFrom(const RowsFrom&) = delete;
  RowsFrom& operator=(const RowsFrom&) = delete;

  const FactorRows& rows() const { return m_rows; }

 private:
  std::vector<const float*> m_runs;
  FactorRows m_rows;
};

}  // namespace

PanelMatrix::PanelMatrix(std::int64_t k, std::int64_t n, MemoryUse use,
                         const std::function<void(float* panels)>& write)
    : m_k(static_cast<std::size_t>(k)),
      m_n(static_cast<std::size_t>(n)),
      m_panels(ElementType::Float32,
               Shape{static_cast<std::int64_t>(panelCount(m_n) * kPanelColumns), k}, Layout::Plain,
               use) {
  write(m_panels.mutableValues<float>().data());
}

PanelMatrix::PanelMatrix(const StridedMatrix& b, std::int64_t k, std::int64_t n, MemoryUse use)
    : PanelMatrix(k, n, use, [&](float* panels) {
        forEachPanel(m_k, panelCount(m_n), [&](std::size_t first, std::size_t end) {
          packPanels(b, m_k, m_n, first, end, panels);
        });
      }) {}

// Few elements of b are read once per part of whole rows. Many are cut into panels, too. Lines stay
// together.
PanelMatrix::Cut PanelMatrix::cutFor(const FactorRows& a) const {
  const std::size_t panels = panelCount(m_n);
  const std::size_t rowCost = std::max<std::size_t>(1, m_k * panels * kPanelColumns);
  const bool fewElements = m_k * m_n <= kFewElements;
  std::size_t rows = a.count <= kMaxRows + kMaxRows / 4 ? a.count : kMaxRows;
  if (fewElements) rows = std::max(kPartCost / rowCost + 1, std::min(rows, a.count / kEnoughParts));
  rows = a.count > a.lineRows ? a.count : roundUpTo(kRowsAtOnce, rows);
  if (fewElements) return {rows, panels};
  const std::size_t blocks = (a.count + rows - 1) / rows;
  const std::size_t panelCost = std::max(kLeastRows, rows) * rowCost / panels;
  const std::size_t most = std::min(kMostPanels, panels * blocks / kEnoughParts);
  return {rows, roundUpTo(kPanelsAtOnce, std::max(kPartCost / panelCost + 1, most))};
}

void PanelMatrix::multiply(const FactorRows& a, const float* bias, float* y,
                           const ProductFollowUp& next) const {
  if (a.count == 0 || m_n == 0) return;
  const Cut cut = cutFor(a);
  const std::size_t rowBlocks = (a.count + cut.rows - 1) / cut.rows;
  const std::size_t columnBlocks = (panelCount(m_n) + cut.panels - 1) / cut.panels;
  // The panels of a part are those of its neighbour, which begins with other rows.
  forEachPart(rowBlocks * columnBlocks, [&](std::size_t part) {
    const std::size_t row = part % rowBlocks * cut.rows;
    const std::size_t panel = part / rowBlocks * cut.panels;
    const RowsFrom rows(a, row, cut.rows);
    const PanelProduct tile{.a = rows.rows(),
                            .panels = panels(),
                            .n = m_n,
                            .firstPanel = panel,
                            .endPanel = std::min(panelCount(m_n), panel + cut.panels),
                            .nextPanel = (part + 1) / rowBlocks * cut.panels,
                            .y = y + row * m_n,
                            .yStride = m_n,
                            .bias = bias,
                            .bounds = next.bounds()};
    multiplyPanels(tile);
    if (columnBlocks == 1) next.finishPart(row * m_n, {tile.y, tile.a.count * m_n});
  });
  if (columnBlocks > 1) next.finishInParts(0, {y, a.count * m_n});
}

void PanelMatrix::multiply(const float* a, std::int64_t m, const float* bias, float* y) const {
  const FactorRows rows{{&a, 1}, m_k, m_k, static_cast<std::size_t>(m)};
  multiply(rows, bias, y, ProductFollowUp(nullptr));
}

PanelFactor::PanelFactor(bool constant) : m_constant(constant), m_entries(kConstantCapacity) {}

std::shared_ptr<const PanelMatrix> PanelFactor::of(const Tensor& source,
                                                   const std::function<PanelMatrix()>& make) const {
  if (!m_constant) return std::make_shared<const PanelMatrix>(make());
  const auto entry = m_entries.findOrMake(
      [&](const Entry& known) { return known.source.sharesElementsWith(source); },
      [&] {
        return std::make_shared<const Entry>(Entry{source, make()});
      });
  return {entry, &entry->matrix};
}

std::shared_ptr<const PanelMatrix> PanelFactor::of(const Tensor& source,
                                                   const StridedMatrix& matrix, std::int64_t k,
                                                   std::int64_t n) const {
  return of(source, [&] { return PanelMatrix(matrix, k, n, use()); });
}

std::shared_ptr<const PanelMatrix> PanelFactor::of(
    const Tensor& source, std::int64_t k, std::int64_t n,
    const std::function<void(float* panels)>& write) const {
  return of(source, [&] { return PanelMatrix(k, n, use(), write); });
}

}  // namespace quantscope
