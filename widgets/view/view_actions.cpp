#include "widgets/view/view_actions.h"

#include <QCoreApplication>
#include <QWidget>

#include "widgets/look/icons.h"

namespace quantscope {

QAction* makeViewAction(const ViewActionSpec& spec, const char* context, QWidget* view,
                        QObject* owner) {
  auto* action = new QAction(QCoreApplication::translate(context, spec.text), owner);
  if (*spec.icon != '\0') action->setIcon(icon(QString::fromLatin1(spec.icon)));
  action->setObjectName(QString::fromLatin1(spec.name));
  action->setCheckable(spec.checkable);
  action->setShortcuts(QKeySequence::listFromString(QString::fromLatin1(spec.shortcuts)));
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  QString tooltip = QCoreApplication::translate(context, spec.tooltip);
  if (!action->shortcut().isEmpty()) {
    tooltip += QStringLiteral(" (%1)").arg(action->shortcut().toString(QKeySequence::NativeText));
  }
  action->setToolTip(tooltip);
  view->addAction(action);
  return action;
}

}  // namespace quantscope
