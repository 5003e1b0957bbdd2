#include "widgets/shell/card_button.h"

#include <QKeyEvent>
#include <QPainter>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kWidth = 320;
constexpr int kHeight = 60;
constexpr int kIcon = 24;
constexpr int kMargin = 16;

QFont titleFont(QFont font) {
  font.setWeight(QFont::DemiBold);
  return font;
}

}  // namespace

CardButton::CardButton(const QIcon& icon, const QString& title, const QString& subtitle,
                       QWidget* parent)
    : QAbstractButton(parent), m_subtitle(subtitle) {
  setIcon(icon);
  setText(title);
  setAccessibleName(title);
  setAccessibleDescription(subtitle);
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_Hover);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize CardButton::sizeHint() const {
  return {kWidth, kHeight};
}

QSize CardButton::minimumSizeHint() const {
  return {kWidth / 2, kHeight};
}

void CardButton::keyPressEvent(QKeyEvent* event) {
  const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  enters ? click() : QAbstractButton::keyPressEvent(event);
}

void CardButton::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool hot = isEnabled() && (underMouse() || hasFocus());
  painter.setPen(QPen(hot ? theme.accent : theme.border, hasFocus() ? 2 : 1));
  painter.setBrush(hot ? theme.raised : theme.surface);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
  icon().paint(&painter, QRect(kMargin, (height() - kIcon) / 2, kIcon, kIcon), Qt::AlignCenter,
               isEnabled() ? QIcon::Normal : QIcon::Disabled);
  const QRect words = rect().adjusted(2 * kMargin + kIcon, 10, -kMargin, -10);
  const QFont bold = titleFont(font());
  painter.setFont(bold);
  painter.setPen(isEnabled() ? theme.text : theme.mutedText);
  painter.drawText(words, Qt::AlignLeft | Qt::AlignTop,
                   QFontMetrics(bold).elidedText(text(), Qt::ElideMiddle, words.width()));
  painter.setFont(font());
  painter.setPen(theme.mutedText);
  painter.drawText(words, Qt::AlignLeft | Qt::AlignBottom,
                   fontMetrics().elidedText(m_subtitle, Qt::ElideMiddle, words.width()));
}

}  // namespace quantscope
