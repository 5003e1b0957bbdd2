#pragma once

#include <span>
#include <vector>

#include "widgets/heatmap/cell_axis.h"
#include "widgets/heatmap/heatmap_data.h"

namespace quantscope {

/// Finds the worst of a range of rows, column by column, however long the range. Level k
/// holds the worst of each 2ᵏ neighbouring rows, computed from the cells' own heats, never
/// from colours or averages. A range is put together from at most two blocks of every
/// level, so the answer is exact: nothing outside of it counts, and nothing inside of it is
/// lost.
class WorstPyramid {
 public:
  WorstPyramid() = default;
  /// Built from the rows of `data` in the given order.
  WorstPyramid(const HeatmapData& data, std::span<const int> order);

  /// worst[i] = worst heat of rows × the column columns.first + i.
  void worst(CellSpan rows, CellSpan columns, std::span<float> worst) const;

 private:
  struct Row {
    std::vector<float> heats;
    float rest = kEmptyHeat;
  };
  using Level = std::vector<Row>;
  static Row worse(const Row& a, const Row& b);

  std::vector<Level> m_levels;
};

}  // namespace quantscope
