#include "widgets/controls/segments.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

#include "widgets/look/theme.h"

namespace quantscope {

Segments::Segments(QWidget* parent) : QWidget(parent), m_layout(new QHBoxLayout(this)) {
  m_layout->setContentsMargins(2, 2, 2, 2);
  m_layout->setSpacing(2);
  connect(qApp, &QApplication::focusChanged, this, &Segments::moveFocus);
}

// Keyboard focus goes to the checked button first; from there Tab goes on.
void Segments::moveFocus(const QWidget* from, const QWidget* to) {
  if (to == nullptr || to->parentWidget() != this || (from != nullptr && isAncestorOf(from)))
    return;
  const QList<QToolButton*> buttons = findChildren<QToolButton*>();
  const auto on = std::ranges::find_if(buttons, &QToolButton::isChecked);
  if (on != buttons.end() && *on != to) (*on)->setFocus(Qt::OtherFocusReason);
}

// The focus follows a choice that is made elsewhere.
void Segments::followChoice(QToolButton* chosen) {
  const auto* focused = qobject_cast<const QToolButton*>(focusWidget());
  const bool left = focused != nullptr && focused != chosen && focused->hasFocus() &&
                    focused->parentWidget() == this && !focused->isChecked();
  if (left && chosen->isChecked()) chosen->setFocus(Qt::OtherFocusReason);
}

void Segments::addAction(QAction* action, const QString& title) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setIcon({});
  button->setText(title);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  button->setFocusPolicy(Qt::TabFocus);
  button->setAccessibleName(title);
  connect(action, &QAction::changed, button, [this, button, title] {
    if (button->text() != title) button->setText(title);
    followChoice(button);
  });
  m_layout->addWidget(button);
}

void Segments::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme.border);
  painter.setBrush(theme.surface);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

}  // namespace quantscope
