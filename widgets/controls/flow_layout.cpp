#include "widgets/controls/flow_layout.h"

#include <algorithm>

namespace quantscope {

FlowLayout::FlowLayout(int spacing, QWidget* parent) : QLayout(parent) {
  setSpacing(spacing);
  setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
  qDeleteAll(m_items);
}

QLayoutItem* FlowLayout::takeAt(int index) {
  return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const {
  return arrange(QRect(0, 0, width, 0), false);
}

QSize FlowLayout::minimumSize() const {
  int height = 0;
  for (const QLayoutItem* item : m_items) height = std::max(height, item->sizeHint().height());
  return {40, height};
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool apply) const {
  int x = rect.x();
  int y = rect.y();
  int lineHeight = 0;
  for (QLayoutItem* item : m_items) {
    if (item->isEmpty()) continue;
    const QSize size(std::min(item->sizeHint().width(), rect.width()), item->sizeHint().height());
    if (x > rect.x() && x + size.width() > rect.right() + 1) {
      x = rect.x();
      y += lineHeight + spacing();
      lineHeight = 0;
    }
    if (apply) item->setGeometry({QPoint(x, y), size});
    x += size.width() + spacing();
    lineHeight = std::max(lineHeight, size.height());
  }
  return y + lineHeight - rect.y();
}

}  // namespace quantscope
