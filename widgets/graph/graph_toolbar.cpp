#include "widgets/graph/graph_toolbar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include "widgets/graph/painting/overlay_card.h"

namespace quantscope {

GraphToolbar::GraphToolbar(const QList<QAction*>& actions, QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Graph tools"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(4, 4, 4, 4);
  row->setSpacing(2);
  for (QAction* action : actions) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setIconSize({16, 16});
    button->setAutoRaise(true);
    button->setAccessibleName(action->text().remove(u'&'));
    // The arrow keys belong to the graph.
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
  }
  adjustSize();
}

void GraphToolbar::addTool(QAction* action, const QString& title) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setIconSize({16, 16});
  button->setAutoRaise(true);
  button->setAccessibleName(title);
  button->setFocusPolicy(Qt::TabFocus);
  const auto name = [button, title] { button->setText(title); };
  name();
  connect(action, &QAction::changed, button, name);
  layout()->addWidget(button);
  adjustSize();
}

void GraphToolbar::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paintOverlayCard(painter, *this);
}

}  // namespace quantscope
