#include "widgets/controls/flow_layout.h"

#include <algorithm>

namespace quantscope {
namespace {

QSize sizeOf(const QLayoutItem& item, const QRect& room) {
  const QSize hint = item.sizeHint();
  if (hint.width() <= room.width()) return hint;
  const bool wraps = item.hasHeightForWidth();
  return {room.width(), wraps ? item.heightForWidth(room.width()) : hint.height()};
}

}  // namespace

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
  QPoint at = rect.topLeft();
  int lineHeight = 0;
  QList<QLayoutItem*> line;
  const auto endLine = [&] {
    int x = rect.x();
    for (QLayoutItem* item : line) {
      const QSize size = sizeOf(*item, rect);
      if (apply) item->setGeometry({{x, at.y() + (lineHeight - size.height()) / 2}, size});
      x += size.width() + spacing();
    }
    line.clear();
  };
  for (QLayoutItem* item : m_items) {
    if (item->isEmpty()) continue;
    const QSize size = sizeOf(*item, rect);
    if (!line.isEmpty() && at.x() + size.width() > rect.right() + 1) {
      endLine();
      at = {rect.x(), at.y() + lineHeight + spacing()};
      lineHeight = 0;
    }
    line << item;
    at.rx() += size.width() + spacing();
    lineHeight = std::max(lineHeight, size.height());
  }
  endLine();
  return at.y() + lineHeight - rect.y();
}

}  // namespace quantscope
