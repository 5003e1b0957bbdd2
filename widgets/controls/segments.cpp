#include "widgets/controls/segments.h"

#include <QAction>
#include <QApplication>
#include <QBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kSegmentGap = 2;

}  // namespace

Segments::Segments(QWidget* parent)
    : QWidget(parent), m_layout(new QBoxLayout(QBoxLayout::LeftToRight, this)) {
  m_layout->setContentsMargins(kSegmentGap, kSegmentGap, kSegmentGap, kSegmentGap);
  m_layout->setSpacing(kSegmentGap);
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

QSize Segments::sizeHint() const {
  QSize size(kSegmentGap, 0);
  for (int i = 0; i < m_layout->count(); ++i) {
    const QSize button = m_layout->itemAt(i)->sizeHint();
    size = {size.width() + button.width() + kSegmentGap, std::max(size.height(), button.height())};
  }
  return size + QSize(0, 2 * kSegmentGap);
}

int Segments::heightForWidth(int width) const {
  if (width >= sizeHint().width()) return sizeHint().height();
  int height = kSegmentGap;
  for (int i = 0; i < m_layout->count(); ++i) {
    height += m_layout->itemAt(i)->sizeHint().height() + kSegmentGap;
  }
  return height;
}

void Segments::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool oneLine = width() >= sizeHint().width();
  m_layout->setDirection(oneLine ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
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
