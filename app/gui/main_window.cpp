#include "main_window.h"

#include <QDockWidget>
#include <QStatusBar>
#include <QTabWidget>

#include "widgets/graph/graph_view.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/layers/layers_view.h"
#include "widgets/look/text.h"
#include "widgets/outline/outline_view.h"
#include "widgets/ranges/ranges_view.h"

namespace quantscope {

MainWindow::MainWindow() : m_tabs(new QTabWidget) {
  setWindowTitle(QStringLiteral("Quantscope"));
  resize(1440, 900);
  setCentralWidget(m_tabs);
  const ViewContext context{&m_session.selection(), &m_session.options()};
  addTab(new GraphView(context), tr("Graph"));
  addTab(new HeatmapView(context), tr("Heatmap"));
  addTab(new LayersView(context), tr("Layers"));
  addTab(new RangesView(context), tr("Ranges"));
  addDock(new OutlineView(context), tr("Outline"), Qt::LeftDockWidgetArea);
  addDock(new InspectorView(context), tr("Inspector"), Qt::RightDockWidgetArea);
  AnalysisController& controller = m_session.controller();
  connect(&controller, &AnalysisController::snapshotChanged, this, [this] {
    for (SnapshotView* view : m_views) view->setSnapshot(m_session.snapshot());
  });
  connect(
      &controller, &AnalysisController::progressChanged, this, [this](const Progress& progress) {
        statusBar()->showMessage(text(progress.stage) +
                                 QStringLiteral(" %1/%2").arg(progress.done).arg(progress.total));
      });
  connect(&controller, &AnalysisController::failed, this,
          [this](const Error& error) { statusBar()->showMessage(text(error.what())); });
}

void MainWindow::addTab(SnapshotView* view, const QString& title) {
  m_views.push_back(view);
  m_tabs->addTab(view, title);
}

void MainWindow::addDock(SnapshotView* view, const QString& title, Qt::DockWidgetArea area) {
  m_views.push_back(view);
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(title);
  dock->setWidget(view);
  addDockWidget(area, dock);
}

}  // namespace quantscope
