#include "window_views.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QStyledItemDelegate>
#include <QTabBar>
#include <QTableView>
#include <QTimer>
#include <QUndoView>

#include "job_panels.h"
#include "settings.h"
#include "widgets/compare/compare_view.h"
#include "widgets/configuration/configuration_panel.h"
#include "widgets/controls/fitting_tabs.h"
#include "widgets/findings/findings_view.h"
#include "widgets/graph/graph_view.h"
#include "widgets/guide/guide_panel.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/layers/layers_view.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"
#include "widgets/outline/outline_view.h"
#include "widgets/ranges/ranges_view.h"
#include "widgets/repair/repair_view.h"
#include "widgets/sensitivity/sensitivity_view.h"

namespace quantscope {
namespace {

QString stateKey(const SnapshotView& view) {
  return QStringLiteral("view/state/") + view.objectName();
}

// The steps of the history are sentences of their own.
class StepDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  // Names are elided, so that the end of a step is in sight without scrolling.
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return {0, QStyledItemDelegate::sizeHint(option, index).height()};
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->text = capitalized(option->text);
  }
};

ViewContext contextOf(Session& session) {
  return {&session.selection(), &session.options(), &session.precision()};
}

}  // namespace

WindowViews::WindowViews(Session& session, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_tabs(new FittingTabs),
      m_findings(new FindingsView(contextOf(session))),
      m_graph(new GraphView(contextOf(session))) {
  m_tabs->setDocumentMode(true);
  m_tabs->setIconSize(QSize(16, 16));
  const ViewContext context = contextOf(session);
  // The focus of a new front page is on its contents, not on its first button.
  connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
    QWidget* page = m_tabs->currentWidget();
    const QWidget* focused = page->window()->focusWidget();
    if (focused != nullptr && page->isAncestorOf(focused)) page->setFocus();
  });
  // Findings have the first turn, so that the effect of a threshold is seen at once.
  m_turns.add(m_findings);
  addTab(m_graph, tr("Graph"), QStringLiteral("graph"));
  m_heatmap = new HeatmapView(context);
  addTab(m_heatmap, tr("Heatmap"), QStringLiteral("heatmap"));
  m_sensitivity = new SensitivityView(context);
  addTab(m_sensitivity, tr("Sensitivity"), QStringLiteral("sensitivity"));
  addTab(new LayersView(context), tr("Layers"), QStringLiteral("layers"));
  addTab(new RangesView(context), tr("Ranges"), QStringLiteral("ranges"));
  addTab(new CompareView(context), tr("Compare"), QStringLiteral("compare"));
  m_repair = new RepairView(context);
  addTab(m_repair, tr("Repair"), QStringLiteral("repair"));
}

void WindowViews::addTab(SnapshotView* view, const QString& title, const QString& drawing) {
  view->setObjectName(drawing);
  m_turns.add(view);
  m_tabs->addTab(view, icon(drawing), title);
}

QDockWidget* WindowViews::addPanel(QMainWindow& window, QWidget* widget, const QString& name,
                                   const QString& title, Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, &window);
  dock->setObjectName(name);
  dock->setWidget(widget);
  window.addDockWidget(area, dock);
  // A panel behind another one is only moved out of the window: Tab would go on through it unseen.
  connect(dock, &QDockWidget::visibilityChanged, dock, &QWidget::setEnabled);
  dock->toggleViewAction()->setToolTip(tr("Shows or hides the panel %1.").arg(title));
  // A panel that the user asks for is raised, also from behind others.
  connect(dock->toggleViewAction(), &QAction::triggered, dock, [dock](bool shown) {
    if (shown) QTimer::singleShot(0, dock, &QWidget::raise);
  });
  m_panelToggles.push_back(dock->toggleViewAction());
  return dock;
}

// The named steps; a click goes there.
QWidget* WindowViews::makeHistory() {
  auto* history = new QUndoView(&m_session.undoStack());
  history->setItemDelegate(new StepDelegate(history));
  history->setEmptyLabel(tr("As it was opened"));
  history->setAccessibleName(tr("History"));
  history->setFrameShape(QFrame::NoFrame);
  history->setTextElideMode(Qt::ElideMiddle);
  history->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return history;
}

void WindowViews::addPanels(QMainWindow& window, JobPanels& jobPanels) {
  const ViewContext context = contextOf(m_session);
  auto* outlineView = new OutlineView(context);
  m_inspector = new InspectorView(context);
  m_configuration = new ConfigurationPanel(&m_session.precision());
  outlineView->setObjectName(QStringLiteral("outline"));
  m_inspector->setObjectName(QStringLiteral("inspector"));
  m_findings->setObjectName(QStringLiteral("findings"));
  m_turns.add(outlineView);
  m_turns.add(m_inspector);
  m_guide = new GuidePanel;
  QDockWidget* outline = addPanel(window, outlineView, QStringLiteral("outline"), tr("Outline"),
                                  Qt::LeftDockWidgetArea);
  m_guidePanel =
      addPanel(window, m_guide, QStringLiteral("guide"), tr("Guide"), Qt::LeftDockWidgetArea);
  window.tabifyDockWidget(outline, m_guidePanel);
  outline->raise();
  QDockWidget* inspector = addPanel(window, m_inspector, QStringLiteral("inspector"),
                                    tr("Inspector"), Qt::RightDockWidgetArea);
  QDockWidget* configuration = addPanel(window, m_configuration, QStringLiteral("configuration"),
                                        tr("Configuration"), Qt::RightDockWidgetArea);
  QDockWidget* history = addPanel(window, makeHistory(), QStringLiteral("history"), tr("History"),
                                  Qt::RightDockWidgetArea);
  window.tabifyDockWidget(inspector, configuration);
  window.tabifyDockWidget(configuration, history);
  inspector->raise();
  m_findingsPanel = addPanel(window, m_findings, QStringLiteral("findings"), tr("Findings"),
                             Qt::BottomDockWidgetArea);
  QDockWidget* jobs = addPanel(window, jobPanels.makeJobTable(), QStringLiteral("jobs"), tr("Jobs"),
                               Qt::BottomDockWidgetArea);
  QDockWidget* log = addPanel(window, jobPanels.makeLogTable(), QStringLiteral("log"), tr("Log"),
                              Qt::BottomDockWidgetArea);
  window.tabifyDockWidget(m_findingsPanel, jobs);
  window.tabifyDockWidget(jobs, log);
  jobs->hide();
  log->hide();
  m_findingsPanel->raise();
}

void WindowViews::focusPage() {
  QWidget* page = m_tabs->currentWidget();
  QWidget* target = page;
  while (target->focusProxy() != nullptr) target = target->focusProxy();
  m_waitsForPage = !target->isVisibleTo(page);
  if (m_waitsForPage) target = m_tabs->tabBar();
  target->setFocus(Qt::OtherFocusReason);
}

void WindowViews::focusPageLate() {
  // Whoever has gone on to something else stays there.
  m_waitsForPage = m_waitsForPage && m_tabs->window()->focusWidget() == m_tabs->tabBar();
  if (m_waitsForPage) focusPage();
}

void WindowViews::raiseGraph() {
  m_tabs->setCurrentWidget(m_graph);
}

void WindowViews::raiseRepair() {
  m_tabs->setCurrentWidget(m_repair);
}

void WindowViews::raiseFindings() {
  m_findingsPanel->show();
  m_findingsPanel->raise();
}

void WindowViews::raiseGuide() {
  m_guidePanel->show();
  m_guidePanel->raise();
}

QHash<QString, QByteArray> WindowViews::viewStates() const {
  QHash<QString, QByteArray> states;
  for (const SnapshotView* view : m_turns.views()) {
    states.insert(view->objectName(), view->saveState());
  }
  return states;
}

void WindowViews::restoreViewStates(const QHash<QString, QByteArray>& states) {
  for (SnapshotView* view : m_turns.views()) view->restoreState(states.value(view->objectName()));
}

void WindowViews::restoreSettings() {
  const QSettings settings = openSettings();
  DisplayOptions& options = m_session.options();
  const QString metric = settings.value(QStringLiteral("view/metric")).toString();
  for (std::size_t i = 0; i < metricCatalogue().size(); ++i) {
    if (metric == text(metricCatalogue()[i].key)) options.setMetricIndex(i);
  }
  options.setKind(errorKindOf(settings.value(QStringLiteral("view/kind")).toString()));
  options.setStretch(settings.value(QStringLiteral("view/stretch")).toBool());
  m_tabs->setCurrentIndex(settings.value(QStringLiteral("view/tab")).toInt());
  QHash<QString, QByteArray> states;
  for (const SnapshotView* view : m_turns.views()) {
    states.insert(view->objectName(), settings.value(stateKey(*view)).toByteArray());
  }
  restoreViewStates(states);
  m_repair->forgetLayers();
}

void WindowViews::saveSettings() const {
  QSettings settings = openSettings();
  const DisplayOptions& options = m_session.options();
  settings.setValue(QStringLiteral("view/metric"), text(options.metric().key));
  settings.setValue(QStringLiteral("view/kind"), keyOf(options.kind()));
  settings.setValue(QStringLiteral("view/stretch"), options.stretch());
  settings.setValue(QStringLiteral("view/tab"), m_tabs->currentIndex());
  for (const SnapshotView* view : m_turns.views()) {
    settings.setValue(stateKey(*view), view->saveSettings());
  }
}

}  // namespace quantscope
