// A tile of y, rows × vectors, stays in registers over a block of k. The blocks of panels that it
// reads stay in the caches for all rows, those of a in the second level for all panels.

#include "kernels/network/panel_product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/network/panel_product.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/fused_multiply_add-inl.h"
#include "kernels/put_between-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kPanelColumns>;
using Vec = hn::Vec<Tag>;

constexpr std::size_t kLanes = hn::MaxLanes(Tag());
constexpr std::size_t kVectors = kPanelColumns / kLanes;

// As many sums as fit into the registers beside a row of b and an element of a. The more panels,
// the fewer instructions a sum takes, which matters where two threads share a core; then b comes
// from the second cache level. Else the block of a panel is half of a first cache level of 32 KiB.
#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kPanels = 4;
constexpr std::size_t kFewPanels = 2;
constexpr std::size_t kMaxRows = 12;
constexpr std::size_t kDepth = 768;
constexpr std::size_t rowsBeside(std::size_t panels) {
  return panels == 4 ? 6 : kMaxRows;
}
#else
constexpr std::size_t kPanels = 1;
constexpr std::size_t kFewPanels = 1;
constexpr std::size_t kMaxRows = kVectors > 2 ? 2 : 6;
constexpr std::size_t kDepth = 256;
constexpr std::size_t rowsBeside(std::size_t) {
  return kMaxRows;
}
#endif
// The same where each row may lie anywhere.
constexpr std::size_t kMaxRowsOfLines = std::min<std::size_t>(kMaxRows, 6);
// Elements of a row of a for which the pointers to them stay where they are.
constexpr std::size_t kUnrolled = 2;

// A single row is multiplied with several panels at once, so that sums do not wait for each other.
constexpr std::size_t kPanelsOfOneRow = 4;

// A block of k: `depth` elements from k on.
struct Block {
  std::size_t panel;      ///< the first of the columns
  std::size_t nextPanel;  ///< the first of what is multiplied after it, with the elements of k ...
  std::size_t nextK;      ///< ... from this one on
  std::size_t k;          ///< its first element: `start` of run `run`
  std::size_t run;
  std::size_t start;
  std::size_t depth;
  bool first;  ///< of all blocks: sums begin with it
  bool last;   ///< of all blocks: bias and bounds come behind it
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

/// The same elements of at most 12 rows that lie evenly. One pointer serves three rows: a pointer
/// for each would be more than there are registers for.
template <std::size_t kSomeRows>
class EvenRows {
 public:
  EvenRows(const FactorRows& rows, std::size_t first)
      : m_offset(first * rows.stride), m_stride(rows.stride) {}

  HWY_INLINE void begin(const float* run) {
    m_0 = run + m_offset;
    m_1 = m_0 + 3 * m_stride;
    m_2 = m_0 + 6 * m_stride;
    m_3 = m_0 + 9 * m_stride;
  }

  /// The element `ahead` places behind the current one.
  HWY_INLINE float element(std::size_t row, std::size_t ahead) const {
    const float* const trio = row < 3 ? m_0 : row < 6 ? m_1 : row < 9 ? m_2 : m_3;
    return trio[row % 3 * m_stride + ahead];
  }
  HWY_INLINE void advance(std::size_t count) {
    next(m_0, count);
    if constexpr (kSomeRows > 3) next(m_1, count);
    if constexpr (kSomeRows > 6) next(m_2, count);
    if constexpr (kSomeRows > 9) next(m_3, count);
  }

 private:
  static HWY_INLINE void next(const float*& pointer, std::size_t count) {
    pointer += count;
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
    asm("" : "+r"(pointer));  // else the compiler makes a pointer for each row again
#endif
  }

  static_assert(kSomeRows <= 12);
  std::size_t m_offset;
  std::size_t m_stride;
  const float* m_0 = nullptr;
  const float* m_1 = nullptr;
  const float* m_2 = nullptr;
  const float* m_3 = nullptr;
};

/// The same of at most 6 rows in several lines.
template <std::size_t kSomeRows>
class RowsOfLines {
 public:
  RowsOfLines(const FactorRows& rows, std::size_t first) {
    std::size_t line = first / rows.lineRows;
    std::size_t place = first % rows.lineRows;
    for (std::size_t r = 0; r < kSomeRows; ++r) {
      m_offsets[r] = line * rows.lineStride + place * rows.stride;
      if (++place < rows.lineRows) continue;
      place = 0;
      ++line;
    }
  }

  HWY_INLINE void begin(const float* run) {
    for (std::size_t r = 0; r < kSomeRows; ++r) m_rows[r] = run + m_offsets[r];
  }
  HWY_INLINE float element(std::size_t row, std::size_t ahead) const { return m_rows[row][ahead]; }
  HWY_INLINE void advance(std::size_t count) {
    for (std::size_t r = 0; r < kSomeRows; ++r) m_rows[r] += count;
  }

 private:
  static_assert(kSomeRows <= kMaxRowsOfLines);
  std::size_t m_offsets[kSomeRows];
  const float* m_rows[kSomeRows];
};

/// A tile of sums in registers, and what it reads: kSomeRows rows of a, kSome panels of b.
template <std::size_t kSomeRows, std::size_t kSome>
class Tile {
 public:
  static constexpr std::size_t kAcross = kSome * kVectors;

  /// Reads the panels from `panel` on, and fetches as much of what lies at `next` into the second
  /// cache level.
  HWY_INLINE Tile(const float* panel, std::size_t panelStride, const float* next)
      : m_panel(panel), m_panelStride(panelStride), m_next(next) {}

  template <class Columns>
  HWY_INLINE void begin(bool first, const float* y, std::size_t stride, const Columns& columns) {
    for (std::size_t r = 0; r < kSomeRows; ++r) {
      for (std::size_t v = 0; v < kAcross; ++v) {
        m_sums[r][v] = first ? hn::Zero(Tag()) : columns.load(y + r * stride, v);
        // What is to be written comes while sums are added.
        if (first) fetch<kFirstLevel>(y + r * stride + v * kLanes);
      }
    }
  }

  /// Adds the products of the next `length` elements of each row of a.
  template <class Rows>
  HWY_INLINE void add(Rows rows, std::size_t length) {
    std::size_t p = 0;
    for (; p + kUnrolled <= length; p += kUnrolled) addSome<kUnrolled>(rows);
    for (; p < length; ++p) addSome<1>(rows);
  }

  template <class Columns>
  HWY_INLINE void addBias(const float* bias, const Columns& columns) {
    for (std::size_t v = 0; v < kAcross; ++v) {
      const Vec addend = columns.load(bias, v);
      for (std::size_t r = 0; r < kSomeRows; ++r) m_sums[r][v] = hn::Add(m_sums[r][v], addend);
    }
  }

  template <class Columns>
  HWY_INLINE void end(float* y, std::size_t stride, const Columns& columns) const {
    for (std::size_t r = 0; r < kSomeRows; ++r) {
      for (std::size_t v = 0; v < kAcross; ++v) columns.store(m_sums[r][v], y + r * stride, v);
    }
  }

  HWY_INLINE void putSumsBetween(const ElementBounds& bounds) {
    for (std::size_t r = 0; r < kSomeRows; ++r) {
      for (std::size_t v = 0; v < kAcross; ++v) {
        m_sums[r][v] = putBetween(Tag(), m_sums[r][v], bounds);
      }
    }
  }

 private:
  template <std::size_t kCount, class Rows>
  HWY_INLINE void addSome(Rows& rows) {
    const Tag d;
    for (std::size_t p = 0; p < kCount; ++p) {
      Vec b[kAcross];
      for (std::size_t v = 0; v < kAcross; ++v) {
        b[v] = hn::LoadU(
            d, m_panel + v / kVectors * m_panelStride + v % kVectors * kLanes + p * kPanelColumns);
      }
      // A single row waits for memory as it is.
      if constexpr (kSomeRows > 1) fetch<kSecondLevel>(m_next + p * kPanelColumns);
      for (std::size_t r = 0; r < kSomeRows; ++r) {
        const Vec factor = hn::Set(d, rows.element(r, p));
        for (std::size_t v = 0; v < kAcross; ++v) {
          m_sums[r][v] = fusedMultiplyAdd(d, factor, b[v], m_sums[r][v]);
        }
      }
    }
    m_panel += kCount * kPanelColumns;
    m_next += kCount * kPanelColumns;
    rows.advance(kCount);
  }

  static constexpr int kFirstLevel = 3;
  static constexpr int kSecondLevel = 2;

  template <int kLevel>
  static HWY_INLINE void fetch([[maybe_unused]] const float* line) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
    __builtin_prefetch(line, 0, kLevel);
#endif
  }

  Vec m_sums[kSomeRows][kAcross];
  const float* m_panel;
  std::size_t m_panelStride;
  const float* m_next;
};

// y += a · b, or = in the first block, for kSomeRows rows from `row` on and kSome panels from the
// block's first on.
template <template <std::size_t> class Rows, std::size_t kSomeRows, std::size_t kSome,
          class Columns>
HWY_INLINE void multiplyTile(const PanelProduct& product, const Block& block, std::size_t row,
                             const Columns& columns) {
  const std::size_t panelStride = product.a.length() * kPanelColumns;
  const std::size_t column = block.panel * kPanelColumns;
  float* const y = product.y + row * product.yStride + column;
  const float* const panel = product.panels + block.panel * panelStride + block.k * kPanelColumns;
  // Each of the first groups of rows fetches one of the next panels, others what they just read.
  const std::size_t group = row / kSomeRows;
  const std::size_t nextPanel = block.nextPanel + group;
  const bool fetches = group < kSome && nextPanel < panelCount(product.n);
  const float* const next = product.panels + nextPanel * panelStride + block.nextK * kPanelColumns;
  Tile<kSomeRows, kSome> tile(panel, panelStride, fetches ? next : panel);
  tile.begin(block.first, y, product.yStride, columns);
  Rows<kSomeRows> rows(product.a, row);
  std::size_t left = block.depth;
  std::size_t start = block.start;
  for (std::size_t run = block.run; left > 0; ++run, start = 0) {
    const std::size_t length = std::min(left, product.a.runLength - start);
    rows.begin(product.a.runs[run] + start);
    tile.add(rows, length);
    left -= length;
  }
  if (block.last && product.bias != nullptr) tile.addBias(product.bias + column, columns);
  if (block.last && product.bounds.matter()) tile.putSumsBetween(product.bounds);
  tile.end(y, product.yStride, columns);
}

// The last panel may have fewer columns than a tile.
template <template <std::size_t> class Rows, std::size_t kSomeRows, std::size_t kSome>
HWY_INLINE void place(const PanelProduct& product, const Block& block, std::size_t row) {
  const std::size_t columns = product.n - block.panel * kPanelColumns;
  if (columns >= kSome * kPanelColumns) {
    multiplyTile<Rows, kSomeRows, kSome>(product, block, row, AllColumns());
  } else {
    multiplyTile<Rows, kSomeRows, kSome>(product, block, row, FirstColumns(columns));
  }
}

// All rows in groups of kSomeRows from `row` on, then the rest in a smaller group.
template <template <std::size_t> class Rows, std::size_t kSomeRows, std::size_t kSome>
void rowGroups(const PanelProduct& product, const Block& block, std::size_t row) {
  for (; row + kSomeRows <= product.a.count; row += kSomeRows) {
    place<Rows, kSomeRows, kSome>(product, block, row);
  }
  if constexpr (kSomeRows > 1) {
    if (row < product.a.count) rowGroups<Rows, kSomeRows - 1, kSome>(product, block, row);
  }
}

// Groups of at most kMost rows; kSome panels at once as long as there are that many.
template <template <std::size_t> class Rows, std::size_t kMost, std::size_t kSome>
void panelGroups(const PanelProduct& product, Block block) {
  for (; block.panel + kSome <= product.endPanel; block.panel += kSome) {
    if (block.panel + kSome == product.endPanel) {
      block.nextPanel = block.last ? product.nextPanel : product.firstPanel;
      block.nextK = block.last ? 0 : block.k + block.depth;
    } else {
      block.nextPanel = block.panel + kSome;
      block.nextK = block.k;
    }
    rowGroups<Rows, std::min(kMost, rowsBeside(kSome)), kSome>(product, block, 0);
  }
  if constexpr (kSome > 1) {
    if (block.panel < product.endPanel) panelGroups<Rows, kMost, kSome / 2>(product, block);
  }
}

void multiplyBlock(const PanelProduct& product, const Block& block) {
  if (product.a.count == 1) {
    panelGroups<EvenRows, 1, kPanelsOfOneRow>(product, block);
  } else if (product.a.count > product.a.lineRows) {
    panelGroups<RowsOfLines, kMaxRowsOfLines, kPanels>(product, block);
  } else if (product.a.count > rowsBeside(kPanels) && product.a.count <= kMaxRows) {
    panelGroups<EvenRows, kMaxRows, kFewPanels>(product, block);
  } else {
    panelGroups<EvenRows, kMaxRows, kPanels>(product, block);
  }
}

void multiply(const PanelProduct& product) {
  const std::size_t k = product.a.length();
  std::size_t start = 0;
  do {
    const std::size_t run = product.a.runLength == 0 ? 0 : start / product.a.runLength;
    const Block block{.panel = product.firstPanel,
                      .nextPanel = 0,
                      .nextK = 0,
                      .k = start,
                      .run = run,
                      .start = start - run * product.a.runLength,
                      .depth = std::min(kDepth, k - start),
                      .first = start == 0,
                      .last = start + kDepth >= k};
    multiplyBlock(product, block);
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
