// A tile of y, rows × vectors, stays in registers over a block of k. The block of a panel that it
// reads stays in the first cache level for all rows, those of a in the second for all panels.

#include "kernels/network/panel_product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/network/panel_product.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/fused_multiply_add-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kPanelColumns>;
using Vec = hn::Vec<Tag>;

constexpr std::size_t kLanes = hn::MaxLanes(Tag());
constexpr std::size_t kVectors = kPanelColumns / kLanes;

// Number of sums that fit into the registers beside a row of b and an element of a.
#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kRows = 12;
constexpr std::size_t kPanels = 2;
#else
constexpr std::size_t kRows = kVectors > 2 ? 2 : 6;
constexpr std::size_t kPanels = 1;
#endif
// Half of a first cache level of 32 KiB.
constexpr std::size_t kDepth = 256 / kPanels;

// A single row is multiplied with several panels at once, so that sums do not wait for each other.
constexpr std::size_t kPanelsOfOneRow = 4;

// A block of k: `depth` elements from element `start` of run `run` on.
struct Block {
  std::size_t panel;  ///< the first of the columns
  std::size_t run;
  std::size_t start;
  std::size_t depth;
  bool first;  ///< of all blocks: sums begin with it
  bool last;   ///< of all blocks: the bias comes behind it
};

/// Access to rows of which a tile has all columns.
struct AllColumns {
  HWY_INLINE Vec load(const float* row, std::size_t vector) const {
    return hn::LoadU(Tag(), row + vector * kLanes);
  }
  HWY_INLINE void store(Vec x, float* row, std::size_t vector) const {
    hn::StoreU(x, Tag(), row + vector * kLanes);
  }
};

/// Access to rows that end inside a tile: what lies behind is read as 0 and never written.
class FirstColumns {
 public:
  explicit FirstColumns(std::size_t count) : m_count(count) {}

  HWY_INLINE Vec load(const float* row, std::size_t vector) const {
    const std::size_t first = vector * kLanes;
    if (first + kLanes <= m_count) return hn::LoadU(Tag(), row + first);
    if (first >= m_count) return hn::Zero(Tag());
#if HWY_TARGET <= HWY_AVX2
    return hn::MaskedLoad(hn::FirstN(Tag(), m_count - first), Tag(), row + first);
#else
    HWY_ALIGN float part[kLanes] = {};
    std::copy_n(row + first, m_count - first, part);
    return hn::Load(Tag(), part);
#endif
  }

  HWY_INLINE void store(Vec x, float* row, std::size_t vector) const {
    const std::size_t first = vector * kLanes;
    if (first + kLanes <= m_count) return hn::StoreU(x, Tag(), row + first);
    if (first >= m_count) return;
#if HWY_TARGET <= HWY_AVX2
    hn::BlendedStore(x, hn::FirstN(Tag(), m_count - first), Tag(), row + first);
#else
    // There a blended store writes a whole vector, into what another thread may be writing.
    HWY_ALIGN float part[kLanes];
    hn::Store(x, Tag(), part);
    std::copy_n(part, m_count - first, row + first);
#endif
  }

 private:
  std::size_t m_count;
};

// The same element of each of at most 12 rows. One pointer serves three rows: a pointer for each
// would be more than there are registers for.
template <std::size_t kSomeRows>
class RowPointers {
 public:
  HWY_INLINE RowPointers(const float* first, std::size_t stride)
      : m_0(first),
        m_1(first + 3 * stride),
        m_2(first + 6 * stride),
        m_3(first + 9 * stride),
        m_stride(stride) {}

  HWY_INLINE float element(std::size_t row) const {
    const float* const trio = row < 3 ? m_0 : row < 6 ? m_1 : row < 9 ? m_2 : m_3;
    return trio[row % 3 * m_stride];
  }
  HWY_INLINE void advance() {
    next(m_0);
    if constexpr (kSomeRows > 3) next(m_1);
    if constexpr (kSomeRows > 6) next(m_2);
    if constexpr (kSomeRows > 9) next(m_3);
  }

 private:
  static HWY_INLINE void next(const float*& pointer) {
    ++pointer;
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
    asm("" : "+r"(pointer));  // else the compiler makes a pointer for each row again
#endif
  }

  static_assert(kSomeRows <= 12);
  const float* m_0;
  const float* m_1;
  const float* m_2;
  const float* m_3;
  std::size_t m_stride;
};

// y += a · b, or = in the first block, for kSomeRows rows from `row` on and kSome panels from the
// block's first on.
template <std::size_t kSomeRows, std::size_t kSome, class Columns>
HWY_INLINE void tile(const PanelProduct& product, const Block& block, std::size_t row,
                     const Columns& columns) {
  constexpr std::size_t kAcross = kSome * kVectors;
  const Tag d;
  const std::size_t panelStride = product.runs.size() * product.runLength * kPanelColumns;
  const float* panel = product.panels + block.panel * panelStride +
                       (block.run * product.runLength + block.start) * kPanelColumns;
  const std::size_t column = block.panel * kPanelColumns;
  float* const y = product.y + row * product.yStride + column;
  Vec sums[kSomeRows][kAcross];
  for (std::size_t r = 0; r < kSomeRows; ++r) {
    for (std::size_t v = 0; v < kAcross; ++v) {
      sums[r][v] = block.first ? hn::Zero(d) : columns.load(y + r * product.yStride, v);
    }
  }
  std::size_t left = block.depth;
  std::size_t start = block.start;
  for (std::size_t run = block.run; left > 0; ++run, start = 0) {
    const std::size_t length = std::min(left, product.runLength - start);
    const float* a = product.runs[run] + row * product.aStride + start;
    RowPointers<kSomeRows> rows(a, product.aStride);
    for (std::size_t p = 0; p < length; ++p, panel += kPanelColumns) {
      Vec b[kAcross];
      for (std::size_t v = 0; v < kAcross; ++v) {
        b[v] = hn::LoadU(d, panel + v / kVectors * panelStride + v % kVectors * kLanes);
      }
      for (std::size_t r = 0; r < kSomeRows; ++r) {
        const Vec factor = hn::Set(d, rows.element(r));
        for (std::size_t v = 0; v < kAcross; ++v) {
          sums[r][v] = fusedMultiplyAdd(d, factor, b[v], sums[r][v]);
        }
      }
      rows.advance();
    }
    left -= length;
  }
  const bool biased = block.last && product.bias != nullptr;
  for (std::size_t v = 0; v < kAcross && biased; ++v) {
    const Vec addend = columns.load(product.bias + column, v);
    for (std::size_t r = 0; r < kSomeRows; ++r) sums[r][v] = hn::Add(sums[r][v], addend);
  }
  for (std::size_t r = 0; r < kSomeRows; ++r) {
    for (std::size_t v = 0; v < kAcross; ++v) columns.store(sums[r][v], y + r * product.yStride, v);
  }
}

// The last panel may have fewer columns than a tile.
template <std::size_t kSomeRows, std::size_t kSome>
HWY_INLINE void place(const PanelProduct& product, const Block& block, std::size_t row) {
  const std::size_t columns = product.n - block.panel * kPanelColumns;
  if (columns >= kSome * kPanelColumns) {
    tile<kSomeRows, kSome>(product, block, row, AllColumns());
  } else {
    tile<kSomeRows, kSome>(product, block, row, FirstColumns(columns));
  }
}

// All rows in groups of kSomeRows from `row` on, then the rest in a smaller group.
template <std::size_t kSomeRows, std::size_t kSome>
void rowGroups(const PanelProduct& product, const Block& block, std::size_t row) {
  for (; row + kSomeRows <= product.rows; row += kSomeRows) {
    place<kSomeRows, kSome>(product, block, row);
  }
  if constexpr (kSomeRows > 1) {
    if (row < product.rows) rowGroups<kSomeRows - 1, kSome>(product, block, row);
  }
}

// Groups of at most kSomeRows rows; kSome panels at once as long as there are that many.
template <std::size_t kSomeRows, std::size_t kSome>
void panelGroups(const PanelProduct& product, Block block) {
  for (; block.panel + kSome <= product.endPanel; block.panel += kSome) {
    rowGroups<kSomeRows, kSome>(product, block, 0);
  }
  if constexpr (kSome > 1) {
    if (block.panel < product.endPanel) panelGroups<kSomeRows, kSome - 1>(product, block);
  }
}

void multiply(const PanelProduct& product) {
  const std::size_t k = product.runs.size() * product.runLength;
  std::size_t start = 0;
  do {
    const std::size_t run = product.runLength == 0 ? 0 : start / product.runLength;
    const Block block{.panel = product.firstPanel,
                      .run = run,
                      .start = start - run * product.runLength,
                      .depth = std::min(kDepth, k - start),
                      .first = start == 0,
                      .last = start + kDepth >= k};
    if (product.rows == 1) {
      panelGroups<1, kPanelsOfOneRow>(product, block);
    } else {
      panelGroups<kRows, kPanels>(product, block);
    }
    start += kDepth;
  } while (start < k);
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(multiply);

// Rows of a transposed matrix that are copied together, so that cache lines are read once.
constexpr std::size_t kTurned = 16;

}  // namespace

void packPanels(const StridedMatrix& b, std::size_t k, std::size_t n, std::size_t first,
                std::size_t end, float* panels) {
  for (std::size_t panel = first; panel < end; ++panel) {
    const std::size_t column = panel * kPanelColumns;
    const std::size_t columns = std::min(kPanelColumns, n - column);
    const float* from = b.data + static_cast<std::int64_t>(column) * b.columnStride;
    float* to = panels + panel * k * kPanelColumns;
    if (b.columnStride == 1) {
      for (std::size_t p = 0; p < k; ++p, from += b.rowStride, to += kPanelColumns) {
        std::copy_n(from, columns, to);
        std::fill_n(to + columns, kPanelColumns - columns, 0.0F);
      }
      continue;
    }
    if (columns < kPanelColumns) std::fill_n(to, k * kPanelColumns, 0.0F);
    for (std::size_t start = 0; start < k; start += kTurned) {
      const std::size_t rows = std::min(kTurned, k - start);
      for (std::size_t c = 0; c < columns; ++c) {
        const float* line = from + static_cast<std::int64_t>(c) * b.columnStride +
                            static_cast<std::int64_t>(start) * b.rowStride;
        for (std::size_t p = 0; p < rows; ++p) {
          to[(start + p) * kPanelColumns + c] = line[static_cast<std::int64_t>(p) * b.rowStride];
        }
      }
    }
  }
}

void multiplyPanels(const PanelProduct& product) {
  HWY_DYNAMIC_DISPATCH(multiply)(product);
}

}  // namespace quantscope
#endif
