#include "widgets/look/severity_sign.h"

#include <QPainter>
#include <QPolygonF>

#include "widgets/look/theme.h"

namespace quantscope {

QColor colourOf(Severity severity, const Theme& theme) {
  switch (severity) {
    case Severity::Info:
      return theme.info;
    case Severity::Warning:
      return theme.warning;
    case Severity::Critical:
      return theme.critical;
  }
  return theme.info;
}

void drawSeverity(QPainter& painter, const QRectF& area, Severity severity, const Theme& theme) {
  const double side = std::min(area.width(), area.height());
  const QRectF square(area.center().x() - side / 2, area.center().y() - side / 2, side, side);
  const QColor colour = colourOf(severity, theme);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  if (severity == Severity::Info) {
    painter.setPen(QPen(colour, side / 6));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(square.adjusted(side / 10, side / 10, -side / 10, -side / 10));
  } else {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    if (severity == Severity::Critical) {
      painter.drawEllipse(square);
    } else {
      painter.drawPolygon(QPolygonF(
          {QPointF(square.center().x(), square.top()), square.bottomRight(), square.bottomLeft()}));
    }
  }
  painter.restore();
}

}  // namespace quantscope
