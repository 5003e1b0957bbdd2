#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/channel_layout.h"
#include "kernels/codes/grid_table.h"

namespace quantscope {

/// Positions of an expanded table: as much as stays in the nearest cache.
constexpr std::size_t kTablePositions = 1024;
/// A multiple of it is a multiple of every vector: groups of neighbours need no tails.
constexpr std::size_t kWholeVectors = 16;

/// Throws InvalidParameters for a group size of 0 or where `grids` is not outer · groups · inner.
void requireGroups(const ChannelLayout& layout, std::size_t groupSize, std::size_t grids);

/// `count` times the first `inner` entries of `row` go to those of `piece` from `first` on.
void repeatRow(const GridTable& row, std::size_t inner, std::size_t count, GridTable& piece,
               std::size_t first);

/// True if groups are runs of neighbours that fill whole vectors.
constexpr bool hasVectorGroups(const ChannelLayout& layout, std::size_t groupSize) {
  return layout.inner == 1 && groupSize % kWholeVectors == 0;
}

/// Cuts an array with one sound grid per group into pieces for a kernel that takes a grid for each
/// position: rows(first, count, table) is called in order with `count` elements from `first` on,
/// each with its own entry. Short runs have their entries repeated into a small table, so that
/// every piece is long enough for vectors whatever the axis and size of the groups.
template <class Rows>
void walkGroupRows(const ChannelLayout& layout, std::size_t groupSize, std::span<const Grid> grids,
                   const Codes& codes, const Rows& rows) {
  const std::size_t groupCount = groupsAlong(layout, groupSize);
  const std::size_t inner = std::max<std::size_t>(layout.inner, 1);
  const std::size_t rowsAtOnce = std::max<std::size_t>(kTablePositions / inner, 1);
  GridTable piece(2 * kTablePositions);
  GridTable row(std::max(inner, kTablePositions));
  std::size_t begin = 0;    // of the elements that wait in `piece`
  std::size_t waiting = 0;  // how many they are
  const auto flush = [&] {
    if (waiting > 0) rows(begin, waiting, piece);
    begin += waiting;
    waiting = 0;
  };
  for (std::size_t i = 0; i < layout.outer * groupCount; ++i) {
    const std::size_t o = i / groupCount;
    setLimits(grids.subspan(i * layout.inner, layout.inner), codes, row);
    std::size_t c = i % groupCount * groupSize;
    const std::size_t end = std::min(c + groupSize, layout.channels);
    if (layout.inner >= kShortRun) {
      for (; c < end; ++c) rows((o * layout.channels + c) * layout.inner, layout.inner, row);
      continue;
    }
    for (std::size_t count = 0; c < end; c += count) {
      count = std::min(end - c, rowsAtOnce);
      repeatRow(row, layout.inner, count, piece, waiting);
      waiting += count * layout.inner;
      if (waiting >= kTablePositions) flush();
    }
  }
  flush();
}

/// The same for kernels that also take groups(first, count, table): `count` elements from `first`
/// on in runs of `groupSize` that share an entry each. Throws InvalidParameters for grids that
/// gridLimits refuses, before the first piece.
template <class Rows, class Groups>
void walkGroups(const ChannelLayout& layout, std::size_t groupSize, std::span<const Grid> grids,
                const Codes& codes, const Rows& rows, const Groups& groups) {
  requireSound(grids, codes);
  if (!hasVectorGroups(layout, groupSize)) {
    return walkGroupRows(layout, groupSize, grids, codes, rows);
  }
  const std::size_t groupCount = groupsAlong(layout, groupSize);
  GridTable table(kTablePositions);
  for (std::size_t o = 0; o < layout.outer; ++o) {
    for (std::size_t group = 0; group < groupCount; group += kTablePositions) {
      const std::size_t count = std::min(kTablePositions, groupCount - group);
      setLimits(grids.subspan(o * groupCount + group, count), codes, table);
      const std::size_t first = group * groupSize;
      groups(o * layout.channels + first, std::min(count * groupSize, layout.channels - first),
             table);
    }
  }
}

}  // namespace quantscope
