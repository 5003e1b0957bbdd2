#include "widgets/precision/type_segment.h"

#include <QEvent>
#include <QPainter>
#include <QPainterPath>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kPadding = 5;
constexpr int kLine = 3;
constexpr double kRadius = 4;
constexpr double kNoteSize = 0.82;

}  // namespace

TypeSegment::TypeSegment(QWidget* parent) : QAbstractButton(parent) {
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAttribute(Qt::WA_Hover);
}

void TypeSegment::setType(std::optional<QuantType> type) {
  m_type = type;
  update();
}

void TypeSegment::setState(State state) {
  m_state = state;
  update();
}

void TypeSegment::setNotes(const QString& gain, const QString& bytes, bool quiet) {
  m_gain = gain;
  m_bytes = bytes;
  m_quiet = quiet;
  update();
}

void TypeSegment::setRoomForNotes(bool room) {
  if (room == m_room) return;
  m_room = room;
  updateGeometry();
}

QFont TypeSegment::noteFont() const {
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * kNoteSize);
  return small;
}

QSize TypeSegment::sizeHint() const {
  int height = fontMetrics().height() + 2 * kPadding + kLine;
  if (m_room) height += 2 * QFontMetrics(noteFont()).height();
  return {std::max(fontMetrics().horizontalAdvance(text()) + 2 * kPadding, 44), height};
}

QSize TypeSegment::minimumSizeHint() const {
  return {fontMetrics().horizontalAdvance(text()) + 4, sizeHint().height()};
}

void TypeSegment::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  QPainterPath outline;
  outline.addRoundedRect(box, kRadius, kRadius);
  const bool on = m_state == State::On;
  if (on) painter.fillPath(outline, theme.selected());
  if (!on && isEnabled() && underMouse()) painter.fillPath(outline, theme.raised);
  if (on || hasFocus()) {
    painter.setPen(on ? theme.accent : theme.mutedText);
    painter.drawPath(outline);
  }
  const int titleHeight = fontMetrics().height();
  QFont bold = font();
  if (on) bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(isEnabled() ? theme.text : faint(theme.mutedText, 0.6));
  painter.drawText(QRect(0, kPadding, width(), titleHeight), Qt::AlignCenter, text());
  if (m_type && isEnabled()) {
    // Dashed where only some of several layers have it.
    const double y = kPadding + titleHeight + kLine / 2.0;
    QPen pen(theme.precision(*m_type), m_state == State::Off ? 1 : kLine - 1);
    if (m_state == State::Some) pen.setStyle(Qt::DotLine);
    painter.setPen(pen);
    painter.drawLine(QPointF(width() * 0.25, y), QPointF(width() * 0.75, y));
  }
  if (!m_room) return;
  painter.setFont(noteFont());
  const QFontMetrics notes(painter.font());
  int y = kPadding + titleHeight + kLine;
  painter.setPen(m_quiet ? theme.mutedText : theme.text);
  painter.drawText(QRect(0, y, width(), notes.height()), Qt::AlignCenter, m_gain);
  y += notes.height();
  painter.setPen(theme.mutedText);
  painter.drawText(QRect(0, y, width(), notes.height()), Qt::AlignCenter, m_bytes);
}

}  // namespace quantscope
