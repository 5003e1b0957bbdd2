#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/channel_layout.h"
#include "kernels/grid_table.h"

namespace quantscope {

/// Positions of an expanded table: as much as stays in the nearest cache.
constexpr std::size_t kTablePositions = 1024;
/// A multiple of it is a multiple of every vector: groups of neighbours need no tails.
constexpr std::size_t kWholeVectors = 16;

/// ⌈channels / groupSize⌉. Throws InvalidParameters for a group size of 0 or where `grids` is not
/// outer · groups · inner.
std::size_t requireGroups(const ChannelLayout& layout, std::size_t groupSize, std::size_t grids);

/// Cuts an array with one grid per group into pieces that a kernel can take, in order:
/// - rows(first, count, table, firstEntry): `count` elements from `first` on, each with its own
///   entry of the table, from `firstEntry` on;
/// - groups(first, count, firstEntry): `count` elements from `first` on in runs of `groupSize`
///   that share an entry of `grids`.
///
/// Short runs have their entries repeated into a small table, so that every piece is long enough
/// for vectors whatever the axis and size of the groups.
template <class Rows, class Groups>
void walkGroups(const ChannelLayout& layout, std::size_t groupSize, const GridTable& grids,
                const Rows& rows, const Groups& groups) {
  const std::size_t groupCount = (layout.channels + groupSize - 1) / groupSize;
  const std::size_t width = layout.channels * layout.inner;
  const std::size_t rowsAtOnce =
      std::max<std::size_t>(kTablePositions / std::max<std::size_t>(layout.inner, 1), 1);
  GridTable piece;
  std::size_t begin = 0;  // of the elements that wait in `piece`
  const auto flush = [&] {
    const std::size_t count = piece.size();
    if (count == 0) return;
    piece.pad();
    rows(begin, count, piece, std::size_t{0});
    begin += count;
    piece.clear();
  };
  piece.reserve(2 * kTablePositions);
  for (std::size_t o = 0; o < layout.outer; ++o) {
    if (layout.inner == 1 && groupSize % kWholeVectors == 0) {
      groups(o * width, width, o * groupCount);
      continue;
    }
    for (std::size_t c = 0; c < layout.channels;) {
      const std::size_t entry = (o * groupCount + c / groupSize) * layout.inner;
      const std::size_t groupEnd = std::min((c / groupSize + 1) * groupSize, layout.channels);
      if (layout.inner >= kShortRun) {
        rows((o * layout.channels + c) * layout.inner, layout.inner, grids, entry);
        ++c;
        continue;
      }
      const std::size_t count = std::min(groupEnd - c, rowsAtOnce);
      for (std::size_t row = 0; row < count; ++row) piece.append(grids, entry, layout.inner);
      c += count;
      if (piece.size() >= kTablePositions) flush();
    }
  }
  flush();
}

}  // namespace quantscope
