#include "widgets/controls/chip.h"

#include <QPainter>
#include <QPainterPath>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kChipPadding = 8;
constexpr int kStripe = 4;

}  // namespace

Chip::Chip(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void Chip::setContent(const QString& text, const QString& toolTip, std::optional<QuantType> type) {
  setToolTip(toolTip);
  setAccessibleName(text);
  const bool resized = text != m_text || type.has_value() != m_type.has_value();
  m_text = text;
  m_type = type;
  if (resized) updateGeometry();
  update();
}

QSize Chip::sizeHint() const {
  return {fontMetrics().horizontalAdvance(m_text) + 2 * kChipPadding + (m_type ? kStripe : 0),
          fontMetrics().height() + 6};
}

void Chip::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  QPainterPath outline;
  outline.addRoundedRect(box, 4, 4);
  painter.fillPath(outline, theme.raised);
  int left = kChipPadding;
  if (m_type) {
    painter.save();
    painter.setClipPath(outline);
    painter.fillRect(QRectF(0, 0, kStripe, height()), theme.precision(*m_type));
    painter.restore();
    left += kStripe;
  }
  painter.setPen(theme.border);
  painter.drawPath(outline);
  painter.setPen(theme.text);
  const QRect room = rect().adjusted(left, 0, -kChipPadding, 0);
  painter.drawText(room, Qt::AlignVCenter,
                   fontMetrics().elidedText(m_text, Qt::ElideRight, room.width() + 1));
}

}  // namespace quantscope
