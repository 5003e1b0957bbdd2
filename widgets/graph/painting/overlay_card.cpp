#include "widgets/graph/painting/overlay_card.h"

#include "widgets/look/theme.h"

namespace quantscope {

void paintOverlayCard(QPainter& painter, const QWidget& widget) {
  const Theme& theme = Theme::of(widget.palette());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme.border);
  painter.setBrush(theme.raised);
  painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), kOverlayRadius,
                          kOverlayRadius);
}

}  // namespace quantscope
