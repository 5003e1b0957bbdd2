#pragma once

#include <QHash>
#include <QList>
#include <QObject>

#include "app/gui/session.h"
#include "app/gui/snapshot_turns.h"

class QAction;
class QDockWidget;
class QMainWindow;
class QTabWidget;

namespace quantscope {

class ConfigurationPanel;
class FindingsView;
class GraphView;
class GuidePanel;
class HeatmapView;
class InspectorView;
class JobPanels;
class RepairView;
class SensitivityView;

/// The views of a window, in their tabs and panels, as the user has arranged them.
class WindowViews : public QObject {
  Q_OBJECT

 public:
  WindowViews(Session& session, QObject* parent);

  /// Adds the views that are panels, around the middle of the window.
  void addPanels(QMainWindow& window, JobPanels& jobs);

  QTabWidget& tabs() { return *m_tabs; }
  GraphView& graph() { return *m_graph; }
  HeatmapView& heatmap() { return *m_heatmap; }
  FindingsView& findings() { return *m_findings; }
  InspectorView& inspector() { return *m_inspector; }
  GuidePanel& guide() { return *m_guide; }
  SensitivityView& sensitivity() { return *m_sensitivity; }
  RepairView& repair() { return *m_repair; }
  ConfigurationPanel& configuration() { return *m_configuration; }
  const SnapshotTurns& turns() const { return m_turns; }
  /// Actions that show and hide the panels.
  const QList<QAction*>& panelToggles() const { return m_panelToggles; }

  /// Gives the focus to the front page, or to its tab while the page has nothing to be focused.
  void focusPage();
  /// Moves the focus from there to the page once it has.
  void focusPageLate();
  void raiseGraph();
  void raiseRepair();
  void raiseFindings();
  void raiseGuide();
  void showSnapshot(const SnapshotPtr& snapshot) { m_turns.show(snapshot); }

  /// The saved states of the views, by their names, and the reverse.
  QHash<QString, QByteArray> viewStates() const;
  void restoreViewStates(const QHash<QString, QByteArray>& states);

  /// The tab, the display options and the views' states, from and to the window's settings.
  void restoreSettings();
  void saveSettings() const;

 private:
  QWidget* makeHistory();
  void addTab(SnapshotView* view, const QString& title, const QString& drawing);
  QDockWidget* addPanel(QMainWindow& window, QWidget* widget, const QString& name,
                        const QString& title, Qt::DockWidgetArea area);

  Session& m_session;
  QTabWidget* m_tabs;
  bool m_waitsForPage = false;  // the focus is on the tab, for want of a page
  FindingsView* m_findings;
  GraphView* m_graph;
  HeatmapView* m_heatmap = nullptr;
  SensitivityView* m_sensitivity = nullptr;
  RepairView* m_repair = nullptr;
  InspectorView* m_inspector = nullptr;
  GuidePanel* m_guide = nullptr;
  ConfigurationPanel* m_configuration = nullptr;
  QDockWidget* m_guidePanel = nullptr;
  QDockWidget* m_findingsPanel = nullptr;
  QList<QAction*> m_panelToggles;
  SnapshotTurns m_turns;
};

}  // namespace quantscope
