#include "comparison_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

namespace quantscope {
namespace {

constexpr qsizetype kMostLetters = 18;

QString shortened(const QString& name) {
  return name.size() <= kMostLetters ? name : name.left(kMostLetters - 1) + u'…';
}

void addNamed(QMenu& menu, const QString& name, bool chosen, const std::function<void()>& choose) {
  QAction* action = menu.addAction(QString(name).replace(u'&', QStringLiteral("&&")));
  action->setCheckable(true);
  action->setChecked(chosen);
  QObject::connect(action, &QAction::triggered, &menu, choose);
}

QToolButton* addButton(QAction* action, const QString& title, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setDefaultAction(action);
  button->setAutoRaise(true);
  button->setAccessibleName(action->text().remove(u'&'));
  if (!title.isEmpty()) {
    button->setText(title);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    QObject::connect(action, &QAction::changed, button,
                     [button, title] { button->setText(title); });
  }
  return button;
}

}  // namespace

ComparisonBar::ComparisonBar(Comparison& comparison, Actions& actions,
                             std::shared_ptr<Dialogs> dialogs, QWidget* parent)
    : QWidget(parent),
      m_comparison(comparison),
      m_dialogs(std::move(dialogs)),
      m_shown(addChoice(&ComparisonBar::fillShown,
                        tr("A, the configuration that is shown and changed."))),
      m_other(addChoice(&ComparisonBar::fillOther,
                        tr("B, the configuration that A is compared with."))) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 0, 4, 0);
  layout->setSpacing(2);
  layout->addWidget(m_shown);
  layout->addWidget(addButton(actions.at(ActionId::SwapConfigurations), QStringLiteral("⇄"), this));
  layout->addWidget(m_other);
  layout->addWidget(addButton(actions.at(ActionId::KeepConfiguration), tr("Pin"), this));
  connect(&comparison, &Comparison::changed, this, &ComparisonBar::refresh);
  refresh();
}

QToolButton* ComparisonBar::addChoice(void (ComparisonBar::*fill)(QMenu&), const QString& tip) {
  auto* button = new QToolButton(this);
  button->setToolTip(tip);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  button->setAutoRaise(true);
  auto* menu = new QMenu(button);
  connect(menu, &QMenu::aboutToShow, this, [this, menu, fill] {
    menu->clear();
    (this->*fill)(*menu);
  });
  button->setMenu(menu);
  return button;
}

void ComparisonBar::fillShown(QMenu& menu) {
  const QStringList names = m_comparison.names();
  for (const QString& name : names) {
    addNamed(menu, name, name == m_comparison.shownName(),
             [this, name] { m_comparison.show(name); });
  }
  if (names.isEmpty()) {
    menu.addAction(tr("No configuration is kept yet"))->setEnabled(false);
    return;
  }
  menu.addSeparator();
  for (const QString& name : names) addChanges(menu, name);
}

void ComparisonBar::addChanges(QMenu& menu, const QString& name) {
  QMenu* changes =
      menu.addMenu(tr("Change %1").arg(QString(name).replace(u'&', QStringLiteral("&&"))));
  connect(changes->addAction(tr("&Rename…")), &QAction::triggered, this,
          [this, name] { m_comparison.rename(name, m_dialogs->chooseName(this, name).trimmed()); });
  connect(changes->addAction(tr("&Duplicate")), &QAction::triggered, this,
          [this, name] { m_comparison.duplicate(name); });
  connect(changes->addAction(tr("De&lete")), &QAction::triggered, this,
          [this, name] { m_comparison.remove(name); });
}

void ComparisonBar::fillOther(QMenu& menu) {
  addNamed(menu, tr("The state before"), m_comparison.name().isEmpty(),
           [this] { m_comparison.choose({}); });
  for (const QString& name : m_comparison.names()) {
    addNamed(menu, name, m_comparison.isKept() && name == m_comparison.name(),
             [this, name] { m_comparison.choose(name); });
  }
}

void ComparisonBar::refresh() {
  const QString shown = m_comparison.shownName();
  const QString other = m_comparison.name();
  m_shown->setText(QStringLiteral("A: ") + (shown.isEmpty() ? tr("now") : shortened(shown)));
  m_other->setText(QStringLiteral("B: ") + (other.isEmpty() ? tr("before") : shortened(other)));
}

}  // namespace quantscope
