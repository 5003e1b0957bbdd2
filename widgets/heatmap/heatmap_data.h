#pragma once

#include <QString>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "widgets/look/error_scale.h"

namespace quantscope {

/// A layer as the head of a row.
struct HeatmapRow {
  NodeId node;
  QString name;  ///< the scope left out as far as brackets show it
  QString path;  ///< the scope left out as far as all layers share it
  QString op;    ///< "Conv + BN + ReLU"
  QString tip;   ///< the full name
  std::string scope;
  bool dataMover = false;
};

/// The measure of a column's cells.
struct HeatmapMeasure {
  QString title;  ///< "SQNR"
  QString name;   ///< in a sentence: "local SQNR"
  QString definition;
  ErrorScale scale;
};

/// Neighbouring columns under one heading.
struct HeatmapGroup {
  QString title;
  QString definition;
  int first = 0;
  int count = 0;
};

struct HeatmapColumns {
  int count = 0;
  /// "channel": all columns show the one measure and are numbered. Empty: a measure per column.
  QString noun;
  /// The column that speaks for a row where there is room for one figure; −1 = the worst of all.
  int key = -1;
  std::vector<HeatmapMeasure> measures;
  std::vector<HeatmapGroup> groups;
  bool ofChannels = false;  ///< rows are the channels of one layer, not layers
};

/// How bad a cell is, comparable with all cells of the same measure: 0 = calm end of its scale,
/// 1 = hot end, not held between the two. Cells without a figure come after all that have one.
inline constexpr float kNotComputedHeat = -1e7F;
inline constexpr float kNotQuantizedHeat = -2e7F;
inline constexpr float kEmptyHeat = -3e7F;
inline bool isFigure(float heat) {
  return heat > kNotComputedHeat;
}

/// Layers in execution order × columns of figures. Rows may be shorter than the table is wide (a
/// layer has the channels that it has); the cells beyond are all of one kind and take no memory.
class HeatmapData {
 public:
  HeatmapData() = default;
  explicit HeatmapData(HeatmapColumns columns) : m_columns(std::move(columns)) {}

  /// `rest` is the figure of the columns behind the given ones; nullopt = empty, the layer has no
  /// such channel.
  void addRow(HeatmapRow row, std::span<const Figure> figures,
              std::optional<Figure::Kind> rest = std::nullopt);

  int rows() const { return static_cast<int>(m_rows.size()); }
  int columns() const { return m_columns.count; }
  const HeatmapRow& row(int row) const { return m_rows[at(row)]; }
  const HeatmapColumns& heading() const { return m_columns; }
  const HeatmapMeasure& measure(int column) const;
  /// "SQNR", "17"
  QString columnTitle(int column) const;
  /// "local SQNR", "channel 17"
  QString columnName(int column) const;

  /// nullopt = empty.
  std::optional<Figure> figure(int row, int column) const;
  float heat(int row, int column) const;
  /// The heats of the row's own columns; all other columns have restHeat().
  std::span<const float> heats(int row) const;
  float restHeat(int row) const { return m_extents[at(row)].rest; }
  /// The heat of the key column, or the worst of the row.
  float rowHeat(int row) const { return m_extents[at(row)].row; }

 private:
  struct Extent {
    std::size_t first = 0;
    std::size_t count = 0;
    float rest = kEmptyHeat;
    float row = kEmptyHeat;
  };
  float heatOfRow(int row) const;
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  HeatmapColumns m_columns;
  std::vector<HeatmapRow> m_rows;
  std::vector<Extent> m_extents;
  std::vector<double> m_values;
  std::vector<float> m_heats;
};

/// Levels of scopes that are shown as brackets.
inline constexpr std::size_t kBracketLevels = 2;

/// HeatmapSort::column for HeatmapData::rowHeat().
inline constexpr int kSortByRow = -2;

/// The column that rows are sorted by; −1 = execution order.
struct HeatmapSort {
  int column = -1;
  bool worstFirst = true;
  bool sorted() const { return column != -1; }
  friend bool operator==(const HeatmapSort&, const HeatmapSort&) = default;
};

/// The rows shown besides the layers that compute something and have figures.
struct HeatmapFilter {
  bool dataMovers = true;
  bool withoutFigures = true;
  friend bool operator==(const HeatmapFilter&, const HeatmapFilter&) = default;
};

/// The rows to be shown, from top to bottom. Rows without a figure in the column come last.
std::vector<int> rowOrder(const HeatmapData& data, HeatmapSort sort, HeatmapFilter filter);

/// How many figures are worse than a position of their scale, in the columns of one of the data's
/// measures.
std::size_t countWorse(const HeatmapData& data, std::span<const int> rows, double position,
                       const HeatmapMeasure& measure);

}  // namespace quantscope
