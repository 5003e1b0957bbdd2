#pragma once

#include <QObject>
#include <functional>

#include "actions.h"
#include "widgets/view/display_options.h"

class QMainWindow;
class QMenu;

namespace quantscope {

/// The menu bar of a window: the list of actions, and between them the menus whose entries come
/// and go (recent models, samples, metrics, panels, themes, windows).
class Menus : public QObject {
  Q_OBJECT

 public:
  Menus(QMainWindow& window, Actions& actions, DisplayOptions& options);

  /// The entries that show and hide panels, and those that a view brings along.
  void addPanels(const QList<QAction*>& toggles);
  void addViewActions(const QString& title, const QList<QAction*>& actions);
  /// A menu of the analysis, before its suggestions.
  void addAnalysisActions(const QString& title, const QList<QAction*>& actions);

 Q_SIGNALS:
  /// A model or a project.
  void modelChosen(const QString& path);
  void discardRequested();

 private:
  void insertActions(MenuId in, ActionId before, const QString& title,
                     const QList<QAction*>& actions);
  QMenu* menu(MenuId id) const { return m_menus.value(id); }
  /// A menu that is filled whenever it opens, in front of an action.
  QMenu* addFilled(MenuId in, ActionId before, const QString& title, const QString& drawing,
                   const std::function<void(QMenu&)>& fill);
  void fillFromList();
  void fillRecent(QMenu& menu);
  void fillUnsaved(QMenu& menu);
  void fillSamples(QMenu& menu);
  void fillMetrics(QMenu& menu);
  void fillThemes(QMenu& menu);
  void fillWindows();

  QMainWindow& m_window;
  Actions& m_actions;
  DisplayOptions& m_options;
  QHash<MenuId, QMenu*> m_menus;
};

}  // namespace quantscope
