#include "widgets/heatmap/heatmap_headers.h"

#include <QFontInfo>
#include <QFontMetrics>
#include <QObject>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kPadding = 8;
constexpr int kBracketWidth = 20;
constexpr int kTick = 4;  // coloured mark of a row's worst cell
constexpr int kMostWidth = 340;
constexpr double kLeastLine = 14;  // least height of a readable name

// "RMSE, value"
QString titleWithUnit(const HeatmapScene& scene, int column, const QString& title) {
  const QString unit = text(scene.data->measure(column).scale.metric().unit);
  return unit.isEmpty() ? title : title + QStringLiteral(", ") + unit;
}

QString arrow(HeatmapSort sort) {
  return sort.worstFirst ? QStringLiteral(" ▼") : QStringLiteral(" ▲");
}

// 1, 2, 5, 10, 20, 50, …
int roundStep(double least) {
  for (int power = 1;; power *= 10) {
    for (const int digit : {1, 2, 5}) {
      if (digit * power >= least) return digit * power;
    }
  }
}

}  // namespace

HeatmapHeaders::HeatmapHeaders(const HeatmapScene& scene, const HeatmapLayout& layout,
                               const Theme& theme, const QFont& font)
    : m_scene(scene), m_layout(layout), m_theme(theme), m_font(font) {}

int HeatmapHeaders::bracketLevels(const HeatmapScene& scene) {
  std::size_t levels = 0;
  for (const ScopeBand& band : scene.bands) levels = std::max(levels, band.level + 1);
  return static_cast<int>(levels);
}

int HeatmapHeaders::widthFor(const HeatmapScene& scene, const QFont& font, int available) {
  const QFontMetrics metrics(font);
  int widest = 0;
  // Measuring all names of a large model takes longer than drawing it.
  const int step = std::max(1, scene.rows() / 200);
  for (int i = 0; i < scene.rows(); i += step) {
    const HeatmapRow& row = scene.data->row(scene.order[static_cast<std::size_t>(i)]);
    widest = std::max(widest, metrics.horizontalAdvance(row.name + row.op));
  }
  const int wanted = bracketLevels(scene) * kBracketWidth + widest + 4 * kPadding + kTick;
  return std::clamp(wanted, 120, std::max(120, std::min(kMostWidth, available * 2 / 5)));
}

int HeatmapHeaders::titleWidth(const HeatmapScene& scene, const QFont& font) {
  if (!scene.data->heading().noun.isEmpty()) return 0;
  const QFontMetrics metrics(font);
  int widest = 0;
  for (int column = 0; column < scene.data->columns(); ++column) {
    widest = std::max(widest, metrics.horizontalAdvance(scene.data->columnTitle(column)));
  }
  return widest + 2 * kPadding;
}

int HeatmapHeaders::heightFor(const HeatmapScene& scene, const QFont& font, bool upright,
                              int available) {
  const QFontMetrics metrics(font);
  const int line = metrics.height() + 4;
  if (!scene.data->heading().noun.isEmpty()) return 2 * line + 8;
  if (!upright) return 3 * line + 8;
  int longest = 0;
  for (int column = 0; column < scene.data->columns(); ++column) {
    const QString title = titleWithUnit(scene, column, scene.data->columnTitle(column));
    longest = std::max(longest, metrics.horizontalAdvance(title));
  }
  // Includes room for the arrow of a sorted column. In a low view the rows keep the larger part.
  const int least = 4 * line;
  return std::min(line + 8 + longest + line, std::max(least, available * 2 / 5));
}

int HeatmapHeaders::namesLeft() const {
  return m_layout.levels * kBracketWidth;
}

int HeatmapHeaders::rowsPerName() const {
  return std::max(1, static_cast<int>(std::ceil(kLeastLine / m_layout.rowHeight())));
}

void HeatmapHeaders::paintRows(QPainter& painter, const HeatmapMarks& marks) const {
  painter.save();
  painter.setClipRect(
      QRect(0, m_layout.cells.top(), m_layout.headWidth(), m_layout.cells.height()));
  const CellSpan visible = m_layout.visibleRows();
  for (const int row : namedRows(marks)) {
    paintName(painter, row, nameRect(row), marks.isMarked(row), row == marks.hoverRow);
  }
  for (const ScopeBand& band : m_scene.bands) {
    if (static_cast<int>(band.last) < visible.first) continue;
    if (static_cast<int>(band.first) < visible.end) paintBracket(painter, band);
  }
  painter.restore();
}

QRectF HeatmapHeaders::nameRect(int row) const {
  QRectF rect = m_layout.rowRect({row, row + 1});
  if (rect.height() < kLeastLine) {
    const QRectF cells = m_layout.cells;
    // Whole names of the first and the last row, too.
    const double highest = std::max(cells.top(), cells.bottom() - kLeastLine);
    const double top = std::clamp(rect.center().y() - kLeastLine / 2, cells.top(), highest);
    rect.setTop(top);
    rect.setHeight(kLeastLine);
  }
  rect.setLeft(namesLeft());
  rect.setRight(m_layout.headWidth());
  return rect;
}

// Where rows are lower than letters, the worst of neighbours are named, each at its own row; of two
// names that meet, the one that is asked for or the worse one stays.
std::vector<int> HeatmapHeaders::namedRows(const HeatmapMarks& marks) const {
  const CellSpan visible = m_layout.visibleRows();
  const int step = rowsPerName();
  const auto rank = [&](int row) {
    const int asked = row == marks.hoverRow ? 2 : marks.isMarked(row) ? 1 : 0;
    return std::pair(asked, m_scene.rowHeat(row));
  };
  std::vector<int> named;
  for (int first = visible.first - visible.first % step; first < visible.end; first += step) {
    const CellSpan rows{first, std::min(first + step, m_scene.rows())};
    const auto within = [&rows](int row) { return row >= rows.first && row < rows.end; };
    const int row = within(marks.hoverRow) ? marks.hoverRow
                    : within(marks.row)    ? marks.row
                                           : m_scene.worstRow(rows);
    const bool meets =
        step > 1 && !named.empty() && nameRect(row).top() < nameRect(named.back()).bottom() - 1;
    if (!meets) {
      named.push_back(row);
    } else if (rank(row) > rank(named.back())) {
      named.back() = row;
    }
  }
  return named;
}

void HeatmapHeaders::paintName(QPainter& painter, int row, const QRectF& rect, bool marked,
                               bool hovered) const {
  const HeatmapRow& head = m_scene.data->row(m_scene.order[static_cast<std::size_t>(row)]);
  if (marked || hovered) {
    painter.fillRect(rect, faint(m_theme.accent, marked ? 0.22 : 0.10));
  }
  const float worst = m_scene.rowHeat(row);
  if (rowsPerName() > 1 && isFigure(worst)) {
    const QRectF own = m_layout.rowRect({row, row + 1});
    painter.fillRect(QRectF(rect.right() - kTick, own.top(), kTick, std::max(own.height(), 2.0)),
                     m_scene.anyScale().colourAt(std::clamp(static_cast<double>(worst), 0.0, 1.0)));
  }
  const QRectF inner = rect.adjusted(kPadding, 0, -kPadding - kTick, 0);
  // Rows that are a bit too low have their names a bit smaller.
  QFont font(m_font);
  const int pixels = QFontInfo(m_font).pixelSize();
  const double line = std::max(kLeastLine, rowsPerName() * m_layout.rowHeight());
  font.setPixelSize(std::clamp(static_cast<int>(line) - 3, pixels - 3, pixels));
  const QFontMetrics metrics(font);
  const int op =
      std::min(metrics.horizontalAdvance(head.op) + 2, static_cast<int>(inner.width() / 2));
  const int name = static_cast<int>(inner.width()) - op - kPadding;
  painter.setFont(font);
  painter.setPen(head.dataMover ? m_theme.mutedText : m_theme.text);
  painter.drawText(
      inner, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
      metrics.elidedText(m_scene.bands.empty() ? head.path : head.name, Qt::ElideLeft, name));
  painter.setPen(m_theme.mutedText);
  painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                   metrics.elidedText(head.op, Qt::ElideRight, op));
}

void HeatmapHeaders::paintBracket(QPainter& painter, const ScopeBand& band) const {
  const CellSpan rows{static_cast<int>(band.first), static_cast<int>(band.last) + 1};
  QRectF rect = m_layout.rowRect(rows);
  rect.setLeft(static_cast<double>(band.level) * kBracketWidth + 2);
  rect.setWidth(kBracketWidth - 3);
  rect.adjust(0, 0.5, 0, -1.5);
  if (rect.height() < 1) return;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(rect.height() > 4 ? QPen(m_theme.border) : QPen(Qt::NoPen));
  painter.setBrush(m_theme.raised);
  painter.drawRoundedRect(rect, 3, 3);
  painter.setRenderHint(QPainter::Antialiasing, false);
  // The name stays in sight while any of its rows do.
  const QRectF shown = rect & QRectF(m_layout.cells.adjusted(-m_layout.cells.left(), 0, 0, 0));
  QFont small(m_font);
  small.setPixelSize(std::max(8, QFontInfo(m_font).pixelSize() - 2));
  const QFontMetrics metrics(small);
  if (shown.height() < 2 * metrics.height()) return;
  painter.save();
  painter.setFont(small);
  painter.translate(shown.center());
  painter.rotate(-90);
  painter.setPen(m_theme.mutedText);
  const QRectF along(-shown.height() / 2 + 2, -shown.width() / 2, shown.height() - 4,
                     shown.width());
  painter.drawText(
      along, Qt::AlignCenter,
      metrics.elidedText(text(band.name), Qt::ElideMiddle, static_cast<int>(along.width())));
  painter.restore();
}

void HeatmapHeaders::paintColumns(QPainter& painter, const HeatmapMarks& marks) const {
  painter.save();
  painter.setClipRect(
      QRect(m_layout.cells.left(), 0, m_layout.cells.width(), m_layout.headHeight()));
  painter.setFont(m_font);
  paintGroups(painter);
  if (m_scene.data->heading().noun.isEmpty()) {
    const CellSpan visible = m_layout.visibleColumns();
    for (int column = visible.first; column < visible.end; ++column) {
      paintTitle(painter, column, column == marks.column, column == marks.hoverColumn);
    }
  } else {
    paintNumbers(painter, marks);
  }
  painter.restore();
}

void HeatmapHeaders::paintCorner(QPainter& painter) const {
  QString title =
      m_scene.data->heading().ofChannels ? QObject::tr("Channel") : QObject::tr("Layer");
  if (m_scene.sort.column == kSortByRow) title += arrow(m_scene.sort);
  painter.setFont(m_font);
  painter.setPen(m_theme.mutedText);
  const QRectF rect(namesLeft() + kPadding, 0, m_layout.headWidth() - namesLeft() - 2 * kPadding,
                    m_layout.headHeight() - 5);
  painter.drawText(rect, Qt::AlignLeft | Qt::AlignBottom, title);
}

void HeatmapHeaders::paintGroups(QPainter& painter) const {
  const QFontMetrics metrics(m_font);
  const int line = metrics.height() + 8;
  QFont bold(m_font);
  bold.setWeight(QFont::DemiBold);
  for (const HeatmapGroup& group : m_scene.data->heading().groups) {
    if (group.count == 0) continue;
    QRectF rect = m_layout.columnRect({group.first, group.first + group.count});
    rect.setTop(0);
    rect.setHeight(line);
    if (group.first > 0) {
      painter.setPen(m_theme.border);
      painter.drawLine(QPointF(rect.left(), 4), QPointF(rect.left(), m_layout.headHeight()));
    }
    QRectF shown = rect & QRectF(m_layout.cells.adjusted(0, -m_layout.cells.top(), 0, 0));
    // A heading over few, narrow columns may run on to the right where nothing follows.
    if (m_scene.data->heading().groups.size() == 1) shown.setRight(m_layout.cells.right());
    painter.setFont(bold);
    painter.setPen(m_theme.text);
    painter.drawText(shown.adjusted(kPadding / 2, 0, -kPadding / 2, 0),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(bold).elidedText(group.title, Qt::ElideRight,
                                                   static_cast<int>(shown.width()) - kPadding));
  }
  painter.setFont(m_font);
}

QString HeatmapHeaders::titleOf(int column) const {
  const QString title = m_scene.data->columnTitle(column);
  if (m_scene.sort.column != column) return title;
  return title + arrow(m_scene.sort);
}

void HeatmapHeaders::paintTitle(QPainter& painter, int column, bool marked, bool hovered) const {
  const QFontMetrics metrics(m_font);
  QRectF rect = m_layout.columnRect({column, column + 1});
  rect.setTop(metrics.height() + 8);
  rect.setBottom(m_layout.headHeight());
  if (marked || hovered) painter.fillRect(rect, faint(m_theme.accent, marked ? 0.22 : 0.10));
  if (m_layout.upright) {
    painter.save();
    painter.translate(rect.center());
    painter.rotate(-90);
    const QRectF along(-rect.height() / 2 + 4, -rect.width() / 2, rect.height() - 8, rect.width());
    // Where there is no room for the unit, which the readout has too, the name counts.
    const auto room = static_cast<int>(along.width());
    QString title = titleWithUnit(m_scene, column, titleOf(column));
    if (metrics.horizontalAdvance(title) > room) title = titleOf(column);
    painter.setPen(m_theme.text);
    painter.drawText(along, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(title, Qt::ElideRight, room));
    painter.restore();
    return;
  }
  rect.adjust(2, 2, -6, -4);
  painter.setPen(m_theme.text);
  painter.drawText(rect, Qt::AlignRight | Qt::AlignTop, titleOf(column));
  painter.setPen(m_theme.mutedText);
  painter.drawText(rect, Qt::AlignRight | Qt::AlignBottom,
                   text(m_scene.data->measure(column).scale.metric().unit));
}

void HeatmapHeaders::paintNumbers(QPainter& painter, const HeatmapMarks& marks) const {
  const QFontMetrics metrics(m_font);
  const CellSpan visible = m_layout.visibleColumns();
  const int widest =
      metrics.horizontalAdvance(QString::number(std::max(0, m_scene.data->columns() - 1)));
  const int step = roundStep((widest + 12) / m_layout.columnWidth());
  const QRectF line(0, metrics.height() + 8, 0, m_layout.headHeight() - metrics.height() - 8);
  const auto paint = [&](int column, bool strong, double alpha) {
    const QRectF own = m_layout.columnRect({column, column + 1});
    const QString label = strong || m_scene.sort.column == column
                              ? titleOf(column)
                              : m_scene.data->columnTitle(column);
    const double width = std::max(own.width(), metrics.horizontalAdvance(label) + 8.0);
    QRectF rect(own.center().x() - width / 2, line.top(), width, line.height());
    if (rect.left() < m_layout.cells.left()) rect.moveLeft(m_layout.cells.left());
    if (alpha > 0) {
      painter.fillRect(rect, m_theme.window);
      painter.fillRect(rect, faint(m_theme.accent, alpha));
    }
    painter.setPen(strong ? m_theme.text : m_theme.mutedText);
    painter.drawText(rect, Qt::AlignCenter, label);
  };
  for (int column = visible.first - visible.first % step; column < visible.end; column += step) {
    if (column >= visible.first) paint(column, false, 0);
  }
  if (m_scene.sort.column >= 0) paint(m_scene.sort.column, true, 0.05);
  if (marks.hoverColumn >= 0) paint(marks.hoverColumn, true, 0.10);
  if (marks.column >= 0) paint(marks.column, true, 0.22);
}

}  // namespace quantscope
