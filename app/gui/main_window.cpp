#include "main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "base/configuration_error.h"
#include "bundled_samples.h"
#include "error_message.h"
#include "recent_models.h"
#include "settings.h"
#include "status_strip.h"
#include "widgets/findings/findings_view.h"
#include "widgets/graph/graph_view.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/layers/layers_view.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"
#include "widgets/outline/outline_view.h"
#include "widgets/ranges/ranges_view.h"
#include "widgets/scheme/scheme_panel.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/headline_bar.h"
#include "widgets/shell/start_page.h"

namespace quantscope {
namespace {

QString stateKey(const SnapshotView& view) {
  return QStringLiteral("view/state/") + view.objectName();
}

}  // namespace

MainWindow::MainWindow(std::shared_ptr<Dialogs> dialogs)
    : m_dialogs(std::move(dialogs)),
      m_actions(new Actions(this)),
      m_messages(new MessageBar),
      m_stack(new QStackedWidget),
      m_start(new StartPage),
      m_tabs(new QTabWidget),
      m_opener(new ModelOpener(m_session, *m_messages, m_dialogs, this)),
      m_jobs(new JobPanels(m_session, *m_messages, this)),
      m_menus(new Menus(*this, *m_actions, m_session.options())),
      m_toolBar(new ToolBar(*m_actions, m_session.options(), this)),
      m_headline(new HeadlineBar),
      m_palette(new CommandPalette(this)),
      m_turns(new SnapshotTurns(this)) {
  resize(1440, 900);
  setMinimumSize(800, 520);
  setAcceptDrops(true);
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  addBars();
  addViews();
  addPanels();
  new StatusStrip(*statusBar(), m_session);
  m_layout = std::make_unique<WindowLayout>(*this);
  bindFileActions();
  bindViewActions();
  bindAnalysisActions();
  bindGoActions();
  connectSession();
  connectFindings();
  connectStartPage();
  restoreOptions();
  m_layout->restore();
  showRequest();
}

MainWindow::~MainWindow() {
  // What a session says while it goes would find half a window.
  m_session.undoStack().blockSignals(true);
  m_session.controller().blockSignals(true);
}

void MainWindow::addBars() {
  addToolBar(m_toolBar);
  addToolBarBreak();
  QToolBar* line = addToolBar(tr("Figures"));
  line->setObjectName(QStringLiteral("headline"));
  line->setMovable(false);
  line->setContextMenuPolicy(Qt::PreventContextMenu);
  line->layout()->setContentsMargins({});
  line->addWidget(m_headline);
  m_headline->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  for (QToolBar* bar : {static_cast<QToolBar*>(m_toolBar), line}) {
    bar->toggleViewAction()->setVisible(false);
  }
}

void MainWindow::addViews() {
  auto* centre = new QWidget;
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins({});
  layout->setSpacing(0);
  layout->addWidget(m_messages);
  layout->addWidget(m_stack, 1);
  m_stack->addWidget(m_start);
  m_stack->addWidget(m_tabs);
  setCentralWidget(centre);
  m_tabs->setDocumentMode(true);
  m_tabs->setIconSize(QSize(16, 16));
  const ViewContext context{&m_session.selection(), &m_session.options()};
  // What a threshold changes is to be seen at once: findings have the first turn.
  m_findings = new FindingsView(context);
  m_turns->add(m_findings);
  m_graph = new GraphView(context);
  addTab(m_graph, tr("Graph"), QStringLiteral("graph"));
  addTab(new HeatmapView(context), tr("Heatmap"), QStringLiteral("heatmap"));
  addTab(new LayersView(context), tr("Layers"), QStringLiteral("layers"));
  addTab(new RangesView(context), tr("Ranges"), QStringLiteral("ranges"));
}

void MainWindow::addTab(SnapshotView* view, const QString& title, const QString& drawing) {
  view->setObjectName(drawing);
  m_turns->add(view);
  m_tabs->addTab(view, icon(drawing), title);
}

QDockWidget* MainWindow::addPanel(QWidget* widget, const QString& name, const QString& title,
                                  Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(name);
  dock->setWidget(widget);
  addDockWidget(area, dock);
  // A panel behind another one is only moved out of the window: Tab would go on through it unseen.
  connect(dock, &QDockWidget::visibilityChanged, dock, &QWidget::setEnabled);
  dock->toggleViewAction()->setToolTip(tr("Shows or hides the panel %1.").arg(title));
  m_panelToggles.push_back(dock->toggleViewAction());
  return dock;
}

void MainWindow::addPanels() {
  const ViewContext context{&m_session.selection(), &m_session.options()};
  auto* outlineView = new OutlineView(context);
  m_inspector = new InspectorView(context);
  outlineView->setObjectName(QStringLiteral("outline"));
  m_inspector->setObjectName(QStringLiteral("inspector"));
  m_turns->add(outlineView);
  m_turns->add(m_inspector);
  QDockWidget* outline =
      addPanel(outlineView, QStringLiteral("outline"), tr("Outline"), Qt::LeftDockWidgetArea);
  QDockWidget* inspector =
      addPanel(m_inspector, QStringLiteral("inspector"), tr("Inspector"), Qt::RightDockWidgetArea);
  m_scheme = new SchemePanel;
  QDockWidget* scheme =
      addPanel(m_scheme, QStringLiteral("scheme"), tr("Scheme"), Qt::RightDockWidgetArea);
  tabifyDockWidget(inspector, scheme);
  inspector->raise();
  m_findings->setObjectName(QStringLiteral("findings"));
  m_findingsPanel =
      addPanel(m_findings, QStringLiteral("findings"), tr("Findings"), Qt::BottomDockWidgetArea);
  QDockWidget* jobs = addPanel(m_jobs->makeJobTable(), QStringLiteral("jobs"), tr("Jobs"),
                               Qt::BottomDockWidgetArea);
  QDockWidget* log =
      addPanel(m_jobs->makeLogTable(), QStringLiteral("log"), tr("Log"), Qt::BottomDockWidgetArea);
  tabifyDockWidget(m_findingsPanel, jobs);
  tabifyDockWidget(jobs, log);
  jobs->hide();
  log->hide();
  resizeDocks({outline, inspector}, {300, 368}, Qt::Horizontal);
  m_findingsPanel->raise();
  resizeDocks({m_findingsPanel}, {260}, Qt::Vertical);
  m_menus->addPanels(m_panelToggles);
  m_menus->addViewActions(tr("&Graph"), m_graph->graphActions());
  m_menus->addViewActions(tr("&Finding"), m_findings->findingActions());
}

void MainWindow::connectSession() {
  AnalysisController& controller = m_session.controller();
  connect(&controller, &AnalysisController::snapshotChanged, this, &MainWindow::showSnapshot);
  connect(&controller, &AnalysisController::runningChanged, this, [this] {
    m_toolBar->setRunning(m_session.controller().running());
    m_actions->refresh();
  });
  connect(&m_session, &Session::requestChanged, this, &MainWindow::showRequest);
  connect(&m_session.options(), &DisplayOptions::changed, m_actions, &Actions::refresh);
  connect(&m_session.selection(), &Selection::changed, m_actions, &Actions::refresh);
  connect(&m_session.selection(), &Selection::graphRequested, this, [this] {
    m_tabs->setCurrentWidget(m_graph);
    m_session.selection().requestCentre();
  });
  connect(&m_session.selection(), &Selection::historyChanged, m_actions, &Actions::refresh);
  connect(&m_session.undoStack(), &QUndoStack::indexChanged, m_actions, &Actions::refresh);
  connect(m_scheme, &SchemePanel::edited, &m_session, &Session::apply);
  connect(m_inspector, &InspectorView::editRequested, this, &MainWindow::changeSharing);
  connect(m_tabs, &QTabWidget::currentChanged, m_actions, &Actions::refresh);
  connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::search);
  connect(m_toolBar, &ToolBar::searchChanged, this, &MainWindow::search);
  connect(m_toolBar, &ToolBar::nextRequested, this, &MainWindow::findNext);
}

void MainWindow::connectStartPage() {
  connect(m_start, &StartPage::openRequested, m_opener, &ModelOpener::askForModel);
  connect(m_start, &StartPage::pathChosen, m_opener, &ModelOpener::openModel);
  connect(m_menus, &Menus::modelChosen, m_opener, &ModelOpener::openModel);
  connect(&RecentModels::instance(), &RecentModels::changed, this, &MainWindow::showEntries);
  showEntries();
}

void MainWindow::showEntries() {
  constexpr qsizetype kMostRecent = 6;
  std::vector<StartPage::Entry> recent;
  for (const QString& path : RecentModels::instance().paths().mid(0, kMostRecent)) {
    const QFileInfo file(path);
    recent.push_back({file.fileName(), file.path(), path, !file.exists()});
  }
  std::vector<StartPage::Entry> samples;
  for (const BundledSample& sample : bundledSamples()) {
    samples.push_back({sample.title, sample.subtitle, sample.path});
  }
  m_start->setRecent(recent);
  m_start->setSamples(samples);
}

// What is odd about the configuration, once for each set of notices.
void MainWindow::tellNotices() {
  const SnapshotPtr& snapshot = m_session.snapshot();
  const std::vector<std::string> notices =
      snapshot ? snapshot->result->notices : std::vector<std::string>();
  if (notices == m_notices) return;
  m_notices = notices;
  const QString topic = QStringLiteral("configuration");
  if (notices.empty()) return m_messages->dismiss(topic);
  QStringList lines;
  for (const std::string& notice : notices) lines << text(notice);
  const auto more = static_cast<int>(notices.size()) - 1;
  m_messages->tell({.severity = Message::Severity::Info,
                    .sentence = lines.front() + u'.',
                    .hint = more > 0 ? tr("%1 more such notices.").arg(more) : QString(),
                    .details = lines.join(u'\n'),
                    .topic = topic});
}

// The error names an entry of a file, which a user of the window has never seen.
void MainWindow::changeSharing(const ConfigEdit& edit) {
  try {
    m_session.apply(edit);
  } catch (const ConfigurationError& error) {
    const std::string sentence = tr("what is shared by hand").toStdString() + " " + error.problem();
    m_messages->tell(errorMessage({error.code(), sentence, error.place(), error.remedy()}, {}));
  } catch (const Error& error) {
    m_messages->tell(errorMessage(error, {}));
  }
}

void MainWindow::showSnapshot() {
  tellNotices();
  m_turns->show(m_session.snapshot());
  m_headline->setItems(headlineItems(m_session.snapshot(), m_session.stale()));
  m_actions->refresh();
}

void MainWindow::showRequest() {
  const bool open = m_session.hasModel();
  m_layout->showWorkbench(open);
  const bool opens = open && m_stack->currentWidget() == m_start;
  m_stack->setCurrentWidget(open ? static_cast<QWidget*>(m_tabs) : m_start);
  const QString name = QFileInfo(text(m_session.request().model.string())).fileName();
  setWindowTitle(open ? name : QStringLiteral("Quantscope"));
  m_headline->setItems(headlineItems(m_session.snapshot(), m_session.stale()));
  m_scheme->setConfig(*m_session.request().config.precision);
  m_inspector->setSharing(m_session.request().config.precision->groups);
  if (opens) m_tabs->currentWidget()->setFocus();
  for (QAction* toggle : m_panelToggles) toggle->setEnabled(open);
  m_actions->refresh();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.isEmpty() || !m_opener->canOpen(urls.constFirst().toLocalFile())) return;
  event->acceptProposedAction();
  m_start->setDropping(true);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* /*event*/) {
  m_start->setDropping(false);
}

void MainWindow::dropEvent(QDropEvent* event) {
  m_start->setDropping(false);
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.isEmpty()) return;
  event->acceptProposedAction();
  m_opener->openPath(urls.constFirst().toLocalFile());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  m_layout->save();
  saveOptions();
  m_session.controller().cancel();
  event->accept();
}

void MainWindow::restoreOptions() {
  const QSettings settings = openSettings();
  DisplayOptions& options = m_session.options();
  const QString metric = settings.value(QStringLiteral("view/metric")).toString();
  for (std::size_t i = 0; i < metricCatalogue().size(); ++i) {
    if (metric == text(metricCatalogue()[i].key)) options.setMetricIndex(i);
  }
  if (settings.value(QStringLiteral("view/accumulated")).toBool()) {
    options.setKind(ErrorKind::Accumulated);
  }
  options.setStretch(settings.value(QStringLiteral("view/stretch")).toBool());
  m_tabs->setCurrentIndex(settings.value(QStringLiteral("view/tab")).toInt());
  for (SnapshotView* view : m_turns->views()) {
    view->restoreState(settings.value(stateKey(*view)).toByteArray());
  }
}

void MainWindow::saveOptions() {
  QSettings settings = openSettings();
  const DisplayOptions& options = m_session.options();
  settings.setValue(QStringLiteral("view/metric"), text(options.metric().key));
  settings.setValue(QStringLiteral("view/accumulated"), options.kind() == ErrorKind::Accumulated);
  settings.setValue(QStringLiteral("view/stretch"), options.stretch());
  settings.setValue(QStringLiteral("view/tab"), m_tabs->currentIndex());
  for (const SnapshotView* view : m_turns->views())
    settings.setValue(stateKey(*view), view->saveState());
}

}  // namespace quantscope
