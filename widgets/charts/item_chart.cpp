#include "widgets/charts/item_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

namespace quantscope {

int ItemChart::itemBeside(int /*step*/) const {
  return -1;
}

void ItemChart::explain(const QPointF& place) {
  const int item = itemAt(place);
  if (item < 0) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(mapToGlobal(place).toPoint(), itemWords(item), this);
  }
}

bool ItemChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  explain(static_cast<QHelpEvent*>(event)->pos());
  return true;
}

void ItemChart::mousePressEvent(QMouseEvent* event) {
  QWidget::mousePressEvent(event);
  if (event->button() != Qt::LeftButton) return;
  const int item = itemAt(event->position());
  if (item >= 0) Q_EMIT picked(item);
}

void ItemChart::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const int item = step == 0 ? -1 : itemBeside(step);
  if (item < 0) return QWidget::keyPressEvent(event);
  Q_EMIT picked(item);
}

}  // namespace quantscope
