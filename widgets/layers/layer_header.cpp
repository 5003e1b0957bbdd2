#include "widgets/layers/layer_header.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "widgets/layers/layers_model.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kMargin = 8;
constexpr int kPadding = 4;
constexpr int kArrow = 8;

void drawArrow(QPainter& painter, const QPointF& centre, bool up, const QColor& colour) {
  const double tip = up ? -2.5 : 2.5;
  QPainterPath path(centre + QPointF(-kArrow / 2.0, -tip));
  path.lineTo(centre + QPointF(0, tip));
  path.lineTo(centre + QPointF(kArrow / 2.0, -tip));
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.strokePath(path, QPen(colour, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.restore();
}

}  // namespace

LayerHeader::LayerHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
  setSectionsClickable(true);
  setSectionsMovable(true);
  setHighlightSections(false);
  setSortIndicatorClearable(true);
  setMinimumSectionSize(40);
  setSortIndicator(-1, Qt::AscendingOrder);
}

void LayerHeader::resetColumns() {
  const auto columns = layerColumns();
  for (int section = 0; section < count(); ++section) {
    const LayerColumn& column = columns[static_cast<std::size_t>(section)];
    moveSection(visualIndex(section), section);
    setSectionHidden(section, !column.common);
    resizeSection(section, column.width);
  }
}

void LayerHeader::fillColumnsMenu(QMenu& menu) {
  QMenu* target = &menu;
  QString group;
  const auto columns = layerColumns();
  for (int section = 0; section < count(); ++section) {
    const LayerColumn& column = columns[static_cast<std::size_t>(section)];
    if (column.kind == LayerColumn::Kind::Name) continue;  // without it a row has no meaning
    if (column.group != group) {
      group = column.group;
      target = group.isEmpty() ? &menu : menu.addMenu(group);
      target->setToolTipsVisible(true);
    }
    QAction* action = target->addAction(column.title);
    action->setCheckable(true);
    action->setChecked(!isSectionHidden(section));
    action->setToolTip(column.definition);
    connect(action, &QAction::toggled, this, [this, section, width = column.width](bool shown) {
      setSectionHidden(section, !shown);
      if (shown && sectionSize(section) < minimumSectionSize()) resizeSection(section, width);
    });
  }
  menu.addSeparator();
  connect(menu.addAction(tr("Columns As at First")), &QAction::triggered, this,
          &LayerHeader::resetColumns);
}

QSize LayerHeader::sizeHint() const {
  return {QHeaderView::sizeHint().width(), 2 * fontMetrics().height() + 3 * kPadding + 2};
}

QString LayerHeader::words(int section, int role) const {
  return model()->headerData(section, Qt::Horizontal, role).toString();
}

void LayerHeader::paintSection(QPainter* painter, const QRect& area, int section) const {
  const Theme& theme = Theme::of(palette());
  painter->save();
  painter->fillRect(area, theme.raised);
  paintGroup(*painter, area, section);
  paintTitle(*painter, area, section);
  painter->setPen(theme.border);
  painter->drawLine(area.bottomLeft(), area.bottomRight());
  painter->restore();
}

// Every section paints its part of the heading that spans the group.
void LayerHeader::paintGroup(QPainter& painter, const QRect& area, int section) const {
  const QString group = words(section, LayersModel::kGroupRole);
  if (group.isEmpty()) return;
  QRect span = area;
  const auto reach = [&](int step) {
    for (int visual = visualIndex(section) + step; visual >= 0 && visual < count();
         visual += step) {
      const int other = logicalIndex(visual);
      if (isSectionHidden(other)) continue;
      if (words(other, LayersModel::kGroupRole) != group) return;
      span |= QRect(sectionViewportPosition(other), area.top(), sectionSize(other), area.height());
    }
  };
  reach(-1);
  reach(1);
  const Theme& theme = Theme::of(palette());
  const int height = fontMetrics().height();
  painter.setClipRect(area);
  const QRect line(std::max(span.left(), 0) + kMargin, area.top() + kPadding,
                   span.right() - std::max(span.left(), 0) - 2 * kMargin, height);
  painter.setPen(theme.mutedText);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                   fontMetrics().elidedText(group, Qt::ElideRight, line.width()));
  const int y = line.bottom() + kPadding / 2;
  painter.setPen(theme.border);
  painter.drawLine(span.left() + kMargin, y, span.right() - kMargin, y);
  painter.setClipping(false);
}

void LayerHeader::paintTitle(QPainter& painter, const QRect& area, int section) const {
  const Theme& theme = Theme::of(palette());
  const QFontMetrics metrics = fontMetrics();
  QRect line(area.left() + kMargin, area.bottom() - metrics.height() - kPadding,
             area.width() - 2 * kMargin, metrics.height());
  const auto alignment =
      model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
  const bool right = (alignment & Qt::AlignRight) != 0;
  const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == section;
  if (sorted) {
    const double x = right ? line.left() + kArrow / 2.0 : line.right() - kArrow / 2.0;
    drawArrow(painter, {x, line.center().y() + 0.5}, sortIndicatorOrder() == Qt::AscendingOrder,
              theme.accent);
    line.adjust(right ? kArrow + 4 : 0, 0, right ? 0 : -kArrow - 4, 0);
  }
  const QString unit = words(section, LayersModel::kUnitRole);
  const int unitWidth = unit.isEmpty() ? 0 : metrics.horizontalAdvance(unit) + 4;
  const QString title = metrics.elidedText(words(section, LayersModel::kTitleRole), Qt::ElideRight,
                                           line.width() - unitWidth);
  const int width = metrics.horizontalAdvance(title) + unitWidth;
  if (right) line.setLeft(std::max(line.left(), line.right() - width));
  painter.setPen(theme.text);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, title);
  painter.setPen(theme.mutedText);
  painter.drawText(line.adjusted(width - unitWidth + 4, 0, 4, 0),
                   Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, unit);
}

void LayerHeader::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu;
  fillColumnsMenu(menu);
  menu.exec(event->globalPos());
}

}  // namespace quantscope
