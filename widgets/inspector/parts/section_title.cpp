#include "widgets/inspector/parts/section_title.h"

#include <QFocusEvent>
#include <QPainter>
#include <QPainterPath>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kTitleMargin = 12;
constexpr int kChevron = 16;

}  // namespace

SectionTitle::SectionTitle(const QString& title, QWidget* parent) : QAbstractButton(parent) {
  setText(title);
  setAccessibleName(title);
  setCheckable(true);
  setChecked(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void SectionTitle::setNote(const QString& note) {
  if (note == m_note) return;
  m_note = note;
  setAccessibleDescription(note);
  update();
}

QFont SectionTitle::titleFont() const {
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  return bold;
}

QSize SectionTitle::sizeHint() const {
  const QFontMetrics metrics(titleFont());
  return {metrics.horizontalAdvance(text()) + kChevron + 3 * kTitleMargin, metrics.height() + 16};
}

void SectionTitle::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (underMouse()) painter.fillRect(rect(), theme.raised);

  const QPointF centre(kTitleMargin + 4, height() / 2.0);
  QPainterPath chevron;
  const QPointF tip = isChecked() ? QPointF(0, 2) : QPointF(2, 0);
  const QPointF arm = isChecked() ? QPointF(4, -2) : QPointF(-2, 4);
  chevron.moveTo(centre + QPointF(isChecked() ? -4 : -2, isChecked() ? -2 : -4));
  chevron.lineTo(centre + tip);
  chevron.lineTo(centre + arm);
  painter.setPen(QPen(theme.mutedText, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(chevron);

  const QRect line = rect().adjusted(kTitleMargin + kChevron, 0, -kTitleMargin, 0);
  painter.setFont(titleFont());
  painter.setPen(theme.text);
  painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, text());
  const int taken = painter.fontMetrics().horizontalAdvance(text()) + kTitleMargin;
  painter.setFont(font());
  painter.setPen(theme.mutedText);
  const QRect rest = line.adjusted(taken, 0, 0, 0);
  painter.drawText(rest, Qt::AlignVCenter | Qt::AlignRight,
                   painter.fontMetrics().elidedText(m_note, Qt::ElideMiddle, rest.width()));
  if (hasFocus() && m_framed) {
    painter.setPen(QPen(theme.accent, 1.5));
    painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), 4, 4);
  }
}

void SectionTitle::enterEvent(QEnterEvent* event) {
  QAbstractButton::enterEvent(event);
  update();
}

void SectionTitle::leaveEvent(QEvent* event) {
  QAbstractButton::leaveEvent(event);
  update();
}

void SectionTitle::focusInEvent(QFocusEvent* event) {
  m_framed = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  QAbstractButton::focusInEvent(event);
}

}  // namespace quantscope
