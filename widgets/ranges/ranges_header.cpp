#include "widgets/ranges/ranges_header.h"

#include <QPainter>

#include "widgets/look/theme.h"
#include "widgets/ranges/range_delegate.h"

namespace quantscope {
namespace {

constexpr int kTick = 3;

void paintAxis(QPainter& painter, const QRect& area, const RangeAxis& axis, const Theme& theme) {
  const QFontMetrics metrics = painter.fontMetrics();
  const QRectF line = QRectF(area).adjusted(RangeDelegate::kMargin, 0, -RangeDelegate::kMargin, 0);
  const double bottom = area.bottom() - 1;
  for (const RangeAxis::Tick& tick : axis.ticksOn(line.width(), metrics)) {
    const double x = line.left() + tick.position * line.width();
    painter.setPen(theme.edge);
    painter.drawLine(QPointF(x, bottom - kTick), QPointF(x, bottom));
    const double width = metrics.horizontalAdvance(tick.text) + 1;
    painter.setPen(theme.mutedText);
    painter.drawText(
        QRectF(x - width / 2, bottom - kTick - metrics.height(), width, metrics.height()),
        Qt::AlignCenter | Qt::TextDontClip, tick.text);
  }
}

}  // namespace

RangesHeader::RangesHeader(const RangeDelegate* delegate, QWidget* parent)
    : TitleHeader(parent), m_delegate(delegate) {}

QSize RangesHeader::sizeHint() const {
  const QSize title = TitleHeader::sizeHint();
  return {title.width(), title.height() + fontMetrics().height()};
}

void RangesHeader::paintContent(QPainter& painter, const QRect& area, int section) const {
  const std::optional<RangeAxis>& axis = m_delegate->sharedAxis();
  if (section != RangesModel::kChart || !axis) {
    TitleHeader::paintContent(painter, area, section);
    return;
  }
  const int lines = area.height() - fontMetrics().height() - kTick;
  TitleHeader::paintContent(painter, {area.left(), area.top(), area.width(), lines + kTick},
                            section);
  paintAxis(painter, area, *axis, Theme::of(palette()));
}

}  // namespace quantscope
