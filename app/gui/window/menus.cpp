#include "menus.h"

#include <QActionGroup>
#include <QApplication>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenuBar>

#include "app/gui/files/bundled_samples.h"
#include "app/gui/files/recent_files.h"
#include "app/gui/projects/unsaved_work.h"
#include "appearance.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QAction* addChoice(QMenu& menu, const QString& title, bool chosen) {
  QAction* action = menu.addAction(title);
  action->setCheckable(true);
  action->setChecked(chosen);
  return action;
}

// An ampersand of a file's name is no mnemonic.
QString plain(QString name) {
  return name.replace(u'&', QStringLiteral("&&"));
}

}  // namespace

Menus::Menus(QMainWindow& window, Actions& actions, DisplayOptions& options)
    : QObject(&window), m_window(window), m_actions(actions), m_options(options) {
  for (const MenuId id : {MenuId::File, MenuId::Edit, MenuId::View, MenuId::Analysis, MenuId::Go,
                          MenuId::Window, MenuId::Help}) {
    QMenu* menu = window.menuBar()->addMenu(menuTitle(id, true));
    menu->setToolTipsVisible(true);
    connect(menu, &QMenu::aboutToShow, &m_actions, &Actions::refresh);
    m_menus.insert(id, menu);
  }
  fillFromList();
  addFilled(MenuId::File, ActionId::SaveProject, tr("Open &Recent"), QStringLiteral("recent"),
            [this](QMenu& menu) { fillRecent(menu); });
  addFilled(MenuId::File, ActionId::SaveProject, tr("Open Sa&mple"), QStringLiteral("model"),
            [this](QMenu& menu) { fillSamples(menu); });
  addFilled(MenuId::File, ActionId::SaveProject, tr("Open &Unsaved Work"), {},
            [this](QMenu& menu) { fillUnsaved(menu); });
  addFilled(MenuId::View, ActionId::KindLocal, tr("&Metric"), {},
            [this](QMenu& menu) { fillMetrics(menu); });
  addFilled(MenuId::View, ActionId::FullScreen, tr("&Theme"), QStringLiteral("theme"),
            [this](QMenu& menu) { fillThemes(menu); });
  connect(menu(MenuId::Window), &QMenu::aboutToShow, this, &Menus::fillWindows);
  fillWindows();
}

void Menus::fillFromList() {
  QHash<MenuId, int> groups;
  for (const ActionSpec& spec : actionSpecs()) {
    if (groups.value(spec.menu, spec.group) != spec.group) menu(spec.menu)->addSeparator();
    groups[spec.menu] = spec.group;
    menu(spec.menu)->addAction(m_actions.at(spec.id));
  }
}

QMenu* Menus::addFilled(MenuId in, ActionId before, const QString& title, const QString& drawing,
                        const std::function<void(QMenu&)>& fill) {
  auto* inner = new QMenu(title, &m_window);
  if (!drawing.isEmpty()) inner->setIcon(icon(drawing));
  inner->setToolTipsVisible(true);
  QAction* place = m_actions.at(before);
  const QList<QAction*> siblings = menu(in)->actions();
  const qsizetype at = siblings.indexOf(place);
  // Goes in front of the line that separates the next group.
  if (at > 0 && siblings[at - 1]->isSeparator()) place = siblings[at - 1];
  menu(in)->insertMenu(place, inner);
  const auto refill = [inner, fill] {
    inner->clear();
    fill(*inner);
  };
  connect(inner, &QMenu::aboutToShow, this, refill);
  refill();
  return inner;
}

void Menus::fillRecent(QMenu& menu) {
  const QStringList paths = RecentFiles::instance().paths();
  for (const QString& path : paths) {
    const QFileInfo file(path);
    QAction* action = menu.addAction(plain(file.fileName()));
    action->setEnabled(file.exists());
    action->setToolTip(file.exists() ? path : tr("%1 is not there any more").arg(path));
    connect(action, &QAction::triggered, this, [this, path] { Q_EMIT modelChosen(path); });
  }
  if (paths.isEmpty()) menu.addAction(tr("Nothing was opened yet"))->setEnabled(false);
  menu.addSeparator();
  QAction* clear = menu.addAction(tr("&Clear List"));
  clear->setEnabled(!paths.isEmpty());
  connect(clear, &QAction::triggered, this, [] { RecentFiles::instance().clear(); });
}

void Menus::fillUnsaved(QMenu& menu) {
  const std::vector<UnsavedWork> all = findUnsavedWork();
  for (const UnsavedWork& work : all) {
    QAction* action =
        menu.addAction(tr("%1, changed %2").arg(plain(work.model), whenText(work.changed)));
    connect(action, &QAction::triggered, this,
            [this, file = work.file] { Q_EMIT modelChosen(file); });
  }
  if (all.empty()) menu.addAction(tr("All work has a name"))->setEnabled(false);
  menu.addSeparator();
  QAction* discard = menu.addAction(tr("&Delete All…"));
  discard->setEnabled(!all.empty());
  connect(discard, &QAction::triggered, this, &Menus::discardRequested);
}

void Menus::fillSamples(QMenu& menu) {
  const std::vector<BundledSample> samples = bundledSamples();
  for (const BundledSample& sample : samples) {
    QAction* action = menu.addAction(sample.title);
    action->setToolTip(sample.subtitle);
    connect(action, &QAction::triggered, this,
            [this, path = sample.path] { Q_EMIT modelChosen(path); });
  }
  if (samples.empty()) menu.addAction(tr("The samples are not installed"))->setEnabled(false);
}

void Menus::fillMetrics(QMenu& menu) {
  auto* group = new QActionGroup(&menu);
  for (std::size_t i = 0; i < metricCatalogue().size(); ++i) {
    const MetricDescription& metric = metricCatalogue()[i];
    QAction* action = addChoice(menu, text(metric.title), m_options.metricIndex() == i);
    action->setToolTip(text(metric.definition));
    group->addAction(action);
    connect(action, &QAction::triggered, &m_options, [this, i] { m_options.setMetricIndex(i); });
  }
}

void Menus::fillThemes(QMenu& menu) {
  auto* group = new QActionGroup(&menu);
  const auto offer = [&](ThemeChoice choice, const QString& title) {
    QAction* action = addChoice(menu, title, Appearance::instance().choice() == choice);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [choice] { Appearance::instance().choose(choice); });
  };
  offer(ThemeChoice::System, tr("As the &Desktop"));
  offer(ThemeChoice::Light, tr("&Light"));
  offer(ThemeChoice::Dark, tr("&Dark"));
}

void Menus::fillWindows() {
  QMenu* windows = menu(MenuId::Window);
  windows->clear();
  for (QWidget* widget : QApplication::topLevelWidgets()) {
    if (qobject_cast<QMainWindow*>(widget) == nullptr || !widget->isVisible()) continue;
    QAction* action = addChoice(
        *windows, plain(widget->windowTitle().remove(QStringLiteral("[*]"))), widget == &m_window);
    connect(action, &QAction::triggered, widget, [widget] {
      widget->raise();
      widget->activateWindow();
    });
  }
}

void Menus::addPanels(const QList<QAction*>& toggles) {
  auto* panels = new QMenu(tr("&Panels"), &m_window);
  panels->setIcon(icon(QStringLiteral("layout")));
  panels->addActions(toggles);
  menu(MenuId::View)->insertMenu(m_actions.at(ActionId::FullScreen), panels);
}

void Menus::addViewActions(const QString& title, const QList<QAction*>& actions) {
  insertActions(MenuId::View, ActionId::FullScreen, title, actions);
}

void Menus::addAnalysisActions(const QString& title, const QList<QAction*>& actions) {
  insertActions(MenuId::Analysis, ActionId::AcceptAll, title, actions);
}

void Menus::insertActions(MenuId in, ActionId before, const QString& title,
                          const QList<QAction*>& actions) {
  if (actions.isEmpty()) return;
  auto* inner = new QMenu(title, &m_window);
  inner->setToolTipsVisible(true);
  inner->addActions(actions);
  menu(in)->insertMenu(m_actions.at(before), inner);
}

}  // namespace quantscope
