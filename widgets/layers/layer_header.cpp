#include "widgets/layers/layer_header.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <algorithm>

#include "widgets/look/theme.h"
#include "widgets/tables/layer_columns.h"

namespace quantscope {

LayerHeader::LayerHeader(QWidget* parent) : TitleHeader(parent) {
  setSectionsMovable(true);
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
  const QSize title = TitleHeader::sizeHint();
  return {title.width(), title.height() + fontMetrics().height() + kPadding};
}

void LayerHeader::paintContent(QPainter& painter, const QRect& area, int section) const {
  paintGroup(painter, area, section);
  TitleHeader::paintContent(painter, area, section);
}

// Every section paints its part of the heading that spans the group.
void LayerHeader::paintGroup(QPainter& painter, const QRect& area, int section) const {
  const QString group = words(section, kGroup);
  if (group.isEmpty()) return;
  QRect span = area;
  const auto reach = [&](int step) {
    for (int visual = visualIndex(section) + step; visual >= 0 && visual < count();
         visual += step) {
      const int other = logicalIndex(visual);
      if (isSectionHidden(other)) continue;
      if (words(other, kGroup) != group) return;
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

void LayerHeader::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu;
  fillColumnsMenu(menu);
  menu.exec(event->globalPos());
}

}  // namespace quantscope
