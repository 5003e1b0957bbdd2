#include "widgets/heatmap/heatmap_data.h"

#include <algorithm>

namespace quantscope {
namespace {

// Infinite figures stay apart from cells without one.
constexpr double kMostHeat = 1e6;

float heatOf(Figure::Kind kind) {
  return kind == Figure::Kind::NotQuantized ? kNotQuantizedHeat : kNotComputedHeat;
}

float heatOf(const Figure& figure, const ErrorScale& scale) {
  if (figure.kind != Figure::Kind::Value) return heatOf(figure.kind);
  return static_cast<float>(std::clamp(scale.heat(figure.value), -kMostHeat, kMostHeat));
}

std::optional<Figure> figureOf(float heat, double value) {
  if (isFigure(heat)) return Figure{Figure::Kind::Value, value};
  if (heat == kEmptyHeat) return std::nullopt;
  return Figure{heat == kNotQuantizedHeat ? Figure::Kind::NotQuantized : Figure::Kind::NotComputed,
                0};
}

}  // namespace

void HeatmapData::addRow(HeatmapRow row, std::span<const Figure> figures,
                         std::optional<Figure::Kind> rest) {
  const std::size_t count = std::min(figures.size(), static_cast<std::size_t>(columns()));
  m_extents.push_back({m_values.size(), count, rest ? heatOf(*rest) : kEmptyHeat});
  for (std::size_t i = 0; i < count; ++i) {
    m_values.push_back(figures[i].value);
    m_heats.push_back(heatOf(figures[i], measure(static_cast<int>(i)).scale));
  }
  m_rows.push_back(std::move(row));
  m_extents.back().row = heatOfRow(rows() - 1);
}

float HeatmapData::heatOfRow(int row) const {
  if (m_columns.key >= 0) return heat(row, m_columns.key);
  const std::span<const float> own = heats(row);
  const float worst = own.empty() ? kEmptyHeat : *std::ranges::max_element(own);
  return static_cast<int>(own.size()) < columns() ? std::max(worst, restHeat(row)) : worst;
}

const HeatmapMeasure& HeatmapData::measure(int column) const {
  return m_columns.measures[m_columns.noun.isEmpty() ? at(column) : 0];
}

QString HeatmapData::columnTitle(int column) const {
  return m_columns.noun.isEmpty() ? measure(column).title : QString::number(column);
}

QString HeatmapData::columnName(int column) const {
  return m_columns.noun.isEmpty() ? measure(column).name
                                  : m_columns.noun + u' ' + QString::number(column);
}

std::optional<Figure> HeatmapData::figure(int row, int column) const {
  const Extent& extent = m_extents[at(row)];
  if (at(column) >= extent.count) return figureOf(extent.rest, 0);
  const std::size_t cell = extent.first + at(column);
  return figureOf(m_heats[cell], m_values[cell]);
}

float HeatmapData::heat(int row, int column) const {
  const Extent& extent = m_extents[at(row)];
  return at(column) < extent.count ? m_heats[extent.first + at(column)] : extent.rest;
}

std::span<const float> HeatmapData::heats(int row) const {
  const Extent& extent = m_extents[at(row)];
  return std::span(m_heats).subspan(extent.first, extent.count);
}

std::vector<int> rowOrder(const HeatmapData& data, HeatmapSort sort, HeatmapFilter filter) {
  std::vector<int> order;
  for (int row = 0; row < data.rows(); ++row) {
    if (!filter.dataMovers && data.row(row).dataMover) continue;
    if (!filter.withoutFigures && std::ranges::none_of(data.heats(row), isFigure)) continue;
    order.push_back(row);
  }
  if (!sort.sorted() || sort.column >= data.columns()) return order;
  const auto heatOf = [&](int row) {
    return sort.column == kSortByRow ? data.rowHeat(row) : data.heat(row, sort.column);
  };
  std::ranges::stable_sort(order, [&](int a, int b) {
    const float left = heatOf(a);
    const float right = heatOf(b);
    if (sort.worstFirst || !isFigure(left) || !isFigure(right)) return left > right;
    return left < right;
  });
  return order;
}

std::size_t countWorse(const HeatmapData& data, std::span<const int> rows, double position,
                       const HeatmapMeasure& measure) {
  std::size_t count = 0;
  for (const int row : rows) {
    const std::span<const float> heats = data.heats(row);
    for (std::size_t column = 0; column < heats.size(); ++column) {
      if (!isFigure(heats[column]) || static_cast<double>(heats[column]) <= position) continue;
      if (&data.measure(static_cast<int>(column)) == &measure) ++count;
    }
  }
  return count;
}

}  // namespace quantscope
