#include "kernels/group_walk.h"

#include <string>

#include "base/error.h"

namespace quantscope {

void requireGroups(const ChannelLayout& layout, std::size_t groupSize, std::size_t grids) {
  if (groupSize == 0) {
    throw Error(ErrorCode::InvalidParameters, "a group of 0 elements has no scale");
  }
  const std::size_t groups = groupsAlong(layout, groupSize);
  const std::size_t expected = ChannelLayout{layout.outer, groups, layout.inner}.elementCount();
  if (grids != expected) {
    throw Error(ErrorCode::InvalidParameters, "there are " + std::to_string(grids) +
                                                  " scales for " + std::to_string(expected) +
                                                  " groups");
  }
}

void repeatRow(const GridTable& row, std::size_t inner, std::size_t count, GridTable& piece,
               std::size_t first) {
  if (inner == 1) {
    piece.fill(first, count, row[0]);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) piece.copy(first + i * inner, row, 0, inner);
}

}  // namespace quantscope
