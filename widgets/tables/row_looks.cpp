#include "widgets/tables/row_looks.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QScrollBar>
#include <QStyleOptionViewItem>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "graph/graph.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr double kBarHeight = 8;
constexpr double kShortestBar = 3;
constexpr double kRadius = 2;

QString lastParts(const QString& name, QChar separator, int count) {
  qsizetype begin = name.size();
  while (count-- > 0 && begin > 0) begin = name.lastIndexOf(separator, begin - 1);
  return name.mid(begin + 1);
}

}  // namespace

NameParts nameParts(std::string_view name, std::string_view op) {
  const QString own = text(shortName(name));
  const QString scope = text(scopeOf(name));
  if (scope.isEmpty()) return {{}, own};
  const QChar separator = name.find('/') != std::string_view::npos ? u'/' : u'.';
  QString whole = scope + separator + own;
  int parts = 1;
  if (!op.empty() && own.startsWith(text(op))) {
    // Named after its operator ("/stem/conv/Conv"): the part before it tells more.
    parts = 2;
    if (lastParts(scope, separator, 1).compare(text(op), Qt::CaseInsensitive) == 0) whole = scope;
  }
  const QString tail = lastParts(whole, separator, parts);
  return {whole.chopped(tail.size()), tail};
}

void drawRowBackground(QPainter& painter, const QStyleOptionViewItem& option) {
  if (!option.state.testFlag(QStyle::State_Selected)) return;
  painter.fillRect(option.rect, Theme::of(option.palette).selected());
}

void useSelectionTint(QAbstractItemView& view) {
  const Theme& theme = Theme::of(view.palette());
  QPalette palette = view.palette();
  if (palette.color(QPalette::Highlight) == theme.selected()) return;
  palette.setColor(QPalette::Highlight, theme.selected());
  palette.setColor(QPalette::HighlightedText, theme.text);
  view.setPalette(palette);
}

void revealRow(QAbstractItemView& view, const QModelIndex& index) {
  const bool inView =
      view.viewport()->rect().contains(view.visualRect(index)) && !view.visualRect(index).isEmpty();
  // By itself a view adds the row to those selected while the user holds Ctrl, as for a shortcut.
  view.selectionModel()->setCurrentIndex(
      index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  if (inView) return;
  QTimer::singleShot(0, &view, [&view, row = QPersistentModelIndex(index)] {
    if (!row.isValid()) return;
    const int sideways = view.horizontalScrollBar()->value();
    view.scrollTo(row, QAbstractItemView::PositionAtCenter);
    view.horizontalScrollBar()->setValue(sideways);
  });
}

void drawErrorBar(QPainter& painter, const QRectF& area, const Figure& figure,
                  const ErrorScale& scale, const Theme& theme) {
  QRectF bar(area.left(), area.center().y() - kBarHeight / 2, area.width(), kBarHeight);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  if (figure.kind == Figure::Kind::Value) {
    const double position = scale.position(figure.value);
    painter.setBrush(theme.dark ? theme.raised : theme.window);
    painter.drawRoundedRect(bar, kRadius, kRadius);
    // Differences grow from the middle, to the side of better or of worse.
    const bool both = scale.showsDifferences();
    const double share = both ? std::abs(position - 0.5) : position;
    bar.setWidth(std::max(kShortestBar, share * area.width()));
    if (both) bar.moveLeft(area.center().x() - (position < 0.5 ? bar.width() : 0));
    painter.setBrush(scale.colourAt(position));
  } else {
    painter.setBrush(absenceBrush(figure.kind, theme));
  }
  painter.drawRoundedRect(bar, kRadius, kRadius);
  painter.restore();
}

void drawLayerName(QPainter& painter, const QRect& area, std::string_view name, std::string_view op,
                   const Theme& theme) {
  const QFontMetrics metrics = painter.fontMetrics();
  const auto [path, own] = nameParts(name, op);
  const QString tail = metrics.elidedText(own, Qt::ElideLeft, area.width());
  const QString head =
      metrics.elidedText(path, Qt::ElideLeft, area.width() - metrics.horizontalAdvance(tail));
  constexpr int kFlags = Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine;
  painter.setPen(theme.mutedText);
  painter.drawText(area, kFlags, head);
  painter.setPen(theme.text);
  painter.drawText(area.adjusted(metrics.horizontalAdvance(head), 0, 0, 0), kFlags, tail);
}

std::string_view leadingOp(std::string_view operators) {
  return operators.substr(0, operators.find(' '));
}

QString operatorsFitting(std::string_view operators, const QFontMetrics& metrics, int width) {
  for (const std::string_view each : {operators, leadingOp(operators)}) {
    const QString shown = text(each);
    if (metrics.horizontalAdvance(shown) <= width) return shown;
  }
  return {};
}

}  // namespace quantscope
