#pragma once

#include <QFont>
#include <algorithm>
#include <vector>

#include "widgets/heatmap/heatmap_scene.h"
#include "widgets/look/theme.h"

class QPainter;

namespace quantscope {

/// The current cells and those under the pointer, as places on screen; −1 = none.
struct HeatmapMarks {
  int row = -1;
  int column = -1;
  int hoverRow = -1;
  int hoverColumn = -1;
  std::vector<int> more = {};  ///< selected beside `row`
  bool isMarked(int shown) const {
    return shown == row || std::ranges::find(more, shown) != more.end();
  }
};

/// How wide and high the heads want to be.
struct HeatmapHeadSize {
  int width = 0;
  int height = 0;
};

/// Paints the frozen heads of rows and columns around `layout.cells`.
class HeatmapHeaders {
 public:
  HeatmapHeaders(const HeatmapScene& scene, const HeatmapLayout& layout, const Theme& theme,
                 const QFont& font);

  /// Scope brackets, names and operators. Where rows are too low for a name each, the worst of
  /// neighbours are named, each at its own row.
  void paintRows(QPainter& painter, const HeatmapMarks& marks) const;
  void paintColumns(QPainter& painter, const HeatmapMarks& marks) const;

  /// "Layer", above the names.
  void paintCorner(QPainter& painter) const;

  /// Shown rows that have their name, and where it stands.
  std::vector<int> namedRows(const HeatmapMarks& marks) const;
  QRectF nameRect(int row) const;
  /// Shown rows per name.
  int rowsPerName() const;

  static int widthFor(const HeatmapScene& scene, const QFont& font, int available);
  /// The height of the headers in a view of that height.
  static int heightFor(const HeatmapScene& scene, const QFont& font, bool upright, int available);
  /// Width that the column titles need to be written level.
  static int titleWidth(const HeatmapScene& scene, const QFont& font);
  static int bracketLevels(const HeatmapScene& scene);

 private:
  void paintName(QPainter& painter, int row, const QRectF& rect, bool marked, bool hovered) const;
  void paintBracket(QPainter& painter, const ScopeBand& band) const;
  void paintGroups(QPainter& painter) const;
  void paintTitle(QPainter& painter, int column, bool marked, bool hovered) const;
  void paintNumbers(QPainter& painter, const HeatmapMarks& marks) const;
  QString titleOf(int column) const;
  int namesLeft() const;

  const HeatmapScene& m_scene;
  const HeatmapLayout& m_layout;
  const Theme& m_theme;
  QFont m_font;
};

}  // namespace quantscope
