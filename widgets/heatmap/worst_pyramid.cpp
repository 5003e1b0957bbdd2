#include "widgets/heatmap/worst_pyramid.h"

#include <algorithm>

namespace quantscope {

WorstPyramid::WorstPyramid(const HeatmapData& data, std::span<const int> order) {
  Level level;
  level.reserve(order.size());
  for (const int row : order) {
    const std::span<const float> heats = data.heats(row);
    level.push_back({{heats.begin(), heats.end()}, data.restHeat(row)});
  }
  while (level.size() > 1) {
    Level next;
    next.reserve((level.size() + 1) / 2);
    for (std::size_t i = 0; i < level.size(); i += 2) {
      next.push_back(i + 1 < level.size() ? worse(level[i], level[i + 1]) : level[i]);
    }
    m_levels.push_back(std::move(level));
    level = std::move(next);
  }
  m_levels.push_back(std::move(level));
}

WorstPyramid::Row WorstPyramid::worse(const Row& a, const Row& b) {
  const Row& longer = a.heats.size() >= b.heats.size() ? a : b;
  const Row& shorter = &longer == &a ? b : a;
  Row result{longer.heats, std::max(a.rest, b.rest)};
  for (std::size_t i = 0; i < result.heats.size(); ++i) {
    result.heats[i] =
        std::max(result.heats[i], i < shorter.heats.size() ? shorter.heats[i] : shorter.rest);
  }
  return result;
}

void WorstPyramid::worst(CellSpan rows, CellSpan columns, std::span<float> worst) const {
  std::ranges::fill(worst, kEmptyHeat);
  const auto first = static_cast<std::size_t>(columns.first);
  const auto add = [&](const Row& row) {
    const std::size_t own =
        std::min(worst.size(), row.heats.size() - std::min(first, row.heats.size()));
    for (std::size_t i = 0; i < own; ++i) worst[i] = std::max(worst[i], row.heats[first + i]);
    for (std::size_t i = own; i < worst.size(); ++i) worst[i] = std::max(worst[i], row.rest);
  };
  auto begin = static_cast<std::size_t>(rows.first);
  auto end = static_cast<std::size_t>(rows.end);
  for (std::size_t level = 0; begin < end; ++level, begin /= 2, end /= 2) {
    if (begin % 2 == 1) add(m_levels[level][begin++]);
    if (end % 2 == 1 && begin < end) add(m_levels[level][--end]);
  }
}

}  // namespace quantscope
