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

/// `count` times the first `inner` entries of `row` go to those of `piece` from `first` on.
void repeatRow(const GridTable& row, std::size_t inner, std::size_t count, GridTable& piece,
               std::size_t first);

/// Cuts an array with one grid per group into pieces that a kernel can take, in order:
/// - rows(first, count, table): `count` elements from `first` on, each with its own entry;
/// - groups(first, count, table): `count` elements from `first` on in runs of `groupSize` that
///   share an entry each.
///
/// Short runs have their entries repeated into a small table, so that every piece is long enough
/// for vectors whatever the axis and size of the groups. Throws InvalidParameters for grids that
/// gridLimits refuses, before the first piece.
template <class Rows, class Groups>
void walkGroups(const ChannelLayout& layout, std::size_t groupSize, std::span<const Grid> grids,
                const Codes& codes, const Rows& rows, const Groups& groups) {
  requireSound(grids, codes);
  const std::size_t groupCount = (layout.channels + groupSize - 1) / groupSize;
  const std::size_t width = layout.channels * layout.inner;
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
  for (std::size_t o = 0; o < layout.outer; ++o) {
    if (layout.inner == 1 && groupSize % kWholeVectors == 0) {
      for (std::size_t group = 0; group < groupCount; group += kTablePositions) {
        const std::size_t count = std::min(kTablePositions, groupCount - group);
        setLimits(grids.subspan(o * groupCount + group, count), codes, row);
        const std::size_t first = group * groupSize;
        groups(o * width + first, std::min(count * groupSize, width - first), row);
      }
      continue;
    }
    for (std::size_t group = 0; group < groupCount; ++group) {
      setLimits(grids.subspan((o * groupCount + group) * layout.inner, layout.inner), codes, row);
      std::size_t c = group * groupSize;
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
  }
  flush();
}

}  // namespace quantscope
