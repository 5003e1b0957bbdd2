#pragma once

#include <QMainWindow>
#include <vector>

#include "session.h"
#include "widgets/view/snapshot_view.h"

class QTabWidget;

namespace quantscope {

/// The workbench: wires views, actions and the session, and nothing else.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow();

  Session& session() { return m_session; }

 private:
  void addTab(SnapshotView* view, const QString& title);
  void addDock(SnapshotView* view, const QString& title, Qt::DockWidgetArea area);

  Session m_session;
  QTabWidget* m_tabs;
  std::vector<SnapshotView*> m_views;
};

}  // namespace quantscope
