#include "widgets/heatmap/heatmap_scene.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

CellSpan visible(const CellAxis& axis, int origin, int pixels) {
  const int last = std::min(origin + pixels, axis.length()) - 1;
  if (last < origin) return {};
  return {axis.cellsAt(origin).first, axis.cellsAt(last).end};
}

}  // namespace

void HeatmapScene::arrange() {
  order = rowOrder(*data, sort, filter);
  pyramid = WorstPyramid(*data, order);
  bands.clear();
  if (sort.sorted()) return;
  std::vector<std::string> scopes;
  scopes.reserve(order.size());
  for (const int row : order) scopes.push_back(data->row(row).scope);
  bands = scopeBands(scopes, kBracketLevels);
}

int HeatmapScene::shownRow(int dataRow) const {
  const auto found = std::ranges::find(order, dataRow);
  return found == order.end() ? -1 : static_cast<int>(found - order.begin());
}

float HeatmapScene::heat(int row, int column) const {
  return data->heat(order[static_cast<std::size_t>(row)], column);
}

ErrorScale HeatmapScene::anyScale() const {
  return data->columns() > 0 ? data->measure(0).scale : ErrorScale();
}

float HeatmapScene::rowHeat(int row) const {
  return data->rowHeat(order[static_cast<std::size_t>(row)]);
}

QPoint HeatmapScene::worstCell(CellSpan rowSpan, CellSpan columns) const {
  QPoint worst(columns.first, rowSpan.first);
  float hottest = heat(worst.y(), worst.x());
  for (int row = rowSpan.first; row < rowSpan.end; ++row) {
    for (int column = columns.first; column < columns.end; ++column) {
      if (heat(row, column) <= hottest) continue;
      hottest = heat(row, column);
      worst = {column, row};
    }
  }
  return worst;
}

int HeatmapScene::worstRow(CellSpan rowSpan) const {
  int worst = rowSpan.first;
  for (int row = rowSpan.first + 1; row < rowSpan.end; ++row) {
    if (rowHeat(row) > rowHeat(worst)) worst = row;
  }
  return worst;
}

QRectF HeatmapLayout::rowRect(CellSpan span) const {
  const double top = cells.top() + (rows.begin(span.first) - origin.y()) / ratio;
  const double bottom = cells.top() + (rows.end(span.end - 1) - origin.y()) / ratio;
  return {QPointF(cells.left(), top), QPointF(cells.right() + 1, bottom)};
}

QRectF HeatmapLayout::columnRect(CellSpan span) const {
  const double left = cells.left() + (columns.begin(span.first) - origin.x()) / ratio;
  const double right = cells.left() + (columns.end(span.end - 1) - origin.x()) / ratio;
  return {QPointF(left, cells.top()), QPointF(right, cells.bottom() + 1)};
}

CellSpan HeatmapLayout::rowsAt(double y) const {
  return rows.cellsAt(origin.y() + static_cast<int>(std::floor((y - cells.top()) * ratio)));
}

CellSpan HeatmapLayout::columnsAt(double x) const {
  return columns.cellsAt(origin.x() + static_cast<int>(std::floor((x - cells.left()) * ratio)));
}

CellSpan HeatmapLayout::visibleRows() const {
  return visible(rows, origin.y(), static_cast<int>(std::ceil(cells.height() * ratio)));
}

CellSpan HeatmapLayout::visibleColumns() const {
  return visible(columns, origin.x(), static_cast<int>(std::ceil(cells.width() * ratio)));
}

}  // namespace quantscope
