#include "actions.h"

#include <QAction>
#include <QCoreApplication>
#include <QWidget>
#include <utility>

#include "widgets/look/icons.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString tooltipOf(const ActionSpec& spec, const QList<QKeySequence>& shortcuts) {
  const QString title = QCoreApplication::translate("Actions", spec.text).remove(u'&').remove(u'…');
  const QString keys =
      shortcuts.isEmpty() ? QString() : shortcuts.constFirst().toString(QKeySequence::NativeText);
  return QStringLiteral("<p><b>%1</b>&nbsp; %2</p><p>%3</p>")
      .arg(title, keys, QCoreApplication::translate("Actions", spec.tooltip));
}

QAction* makeAction(const ActionSpec& spec, QWidget* window, QObject* owner) {
  auto* action = new QAction(QCoreApplication::translate("Actions", spec.text), owner);
  action->setObjectName(text(spec.name));
  if (*spec.icon != '\0') action->setIcon(icon(text(spec.icon)));
  QList<QKeySequence> shortcuts;
  if (*spec.shortcuts != '\0') shortcuts = QKeySequence::listFromString(text(spec.shortcuts));
  action->setShortcuts(shortcuts);
  action->setToolTip(tooltipOf(spec, shortcuts));
  action->setCheckable(spec.checkable);
  window->addAction(action);
  return action;
}

}  // namespace

Actions::Actions(QWidget* window) : QObject(window) {
  for (const ActionSpec& spec : actionSpecs()) {
    m_actions.insert(spec.id, makeAction(spec, window, this));
  }
}

void Actions::bind(ActionId id, Effect effect) {
  connect(at(id), &QAction::triggered, this, [this, run = effect.run] {
    run();
    refresh();
  });
  m_effects.insert(id, std::move(effect));
}

void Actions::refresh() {
  for (auto entry = m_effects.cbegin(); entry != m_effects.cend(); ++entry) {
    QAction* action = at(entry.key());
    action->setEnabled(entry->enabled());
    if (entry->checked) action->setChecked(entry->checked());
  }
}

}  // namespace quantscope
