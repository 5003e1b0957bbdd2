#include "widgets/controls/segments.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include "widgets/look/theme.h"

namespace quantscope {

Segments::Segments(QWidget* parent) : QWidget(parent), m_layout(new QHBoxLayout(this)) {
  m_layout->setContentsMargins(2, 2, 2, 2);
  m_layout->setSpacing(2);
}

void Segments::addAction(QAction* action, const QString& title) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setIcon({});
  button->setText(title);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  button->setFocusPolicy(Qt::TabFocus);
  button->setAccessibleName(title);
  connect(action, &QAction::changed, button, [button, title] {
    if (button->text() != title) button->setText(title);
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
