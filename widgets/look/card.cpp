#include "widgets/look/card.h"

#include "widgets/look/theme.h"

namespace quantscope {

void paintCard(QPainter& painter, const QWidget& widget, const QColor& ground, double radius) {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(Theme::of(widget.palette()).border, 1));
  painter.setBrush(ground);
  painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
}

}  // namespace quantscope
