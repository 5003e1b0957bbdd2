#include "main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QFileInfo>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QTabWidget>
#include <QVBoxLayout>

#include "action_effects.h"
#include "app/gui/controllers/advice_controller.h"
#include "app/gui/controllers/causes_controller.h"
#include "app/gui/controllers/configuration_controller.h"
#include "app/gui/controllers/contribution_controller.h"
#include "app/gui/controllers/export_controller.h"
#include "app/gui/controllers/findings_controller.h"
#include "app/gui/controllers/fitting_controller.h"
#include "app/gui/controllers/gains_controller.h"
#include "app/gui/controllers/guide_controller.h"
#include "app/gui/controllers/import_controller.h"
#include "app/gui/controllers/maps_controller.h"
#include "app/gui/controllers/models_controller.h"
#include "app/gui/controllers/profile_controller.h"
#include "app/gui/controllers/repair_controller.h"
#include "app/gui/controllers/search_controller.h"
#include "app/gui/controllers/sensitivity_controller.h"
#include "app/gui/field_undo.h"
#include "app/gui/files/bundled_samples.h"
#include "app/gui/files/recent_files.h"
#include "app/gui/operator_notice.h"
#include "app/gui/projects/project_controller.h"
#include "app/gui/projects/unsaved_work.h"
#include "app/gui/reload_notice.h"
#include "comparison_bar.h"
#include "error_message.h"
#include "status_strip.h"
#include "widgets/configuration/configuration_panel.h"
#include "widgets/controls/command_palette.h"
#include "widgets/findings/findings_view.h"
#include "widgets/graph/graph_view.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/look/text.h"
#include "widgets/shell/headline_bar.h"
#include "widgets/shell/start_page.h"
#include "window_search.h"

namespace quantscope {
namespace {

constexpr QSize kFirstSize(1440, 900);
constexpr QSize kLeastCentre(240, 160);
const QString kOtherTopic = QStringLiteral("configuration B");

}  // namespace

MainWindow::MainWindow(std::shared_ptr<Dialogs> dialogs, std::shared_ptr<JobQueue> queue)
    : m_session(std::move(queue)),
      m_actions(new Actions(this)),
      m_messages(new MessageBar),
      m_stack(new QStackedWidget),
      m_start(new StartPage),
      m_views(new WindowViews(m_session, this)),
      m_opener(new ModelOpener(m_session, *m_messages, dialogs, this)),
      m_jobs(new JobPanels(m_session, *m_messages, this)),
      m_menus(new Menus(*this, *m_actions, m_session.options())),
      m_toolBar(new ToolBar(*m_actions, m_session.options(), this)),
      m_headline(new HeadlineBar),
      m_comparison(new Comparison(m_session, this)),
      m_palette(new CommandPalette(this)) {
  // The frame comes with the first show: without room for it the status bar is below the screen.
  const QSize frame(0, style()->pixelMetric(QStyle::PM_TitleBarHeight));
  resize(kFirstSize.boundedTo(screen()->availableSize() - frame));
  setMinimumSize(800, 520);
  setAcceptDrops(true);
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  addBars(dialogs);
  addCentre();
  m_views->addPanels(*this, *m_jobs);
  fillMenus();
  new StatusStrip(*statusBar(), m_session, *m_comparison);
  new FieldUndo(this);
  m_layout = std::make_unique<WindowLayout>(*this);
  control(std::move(dialogs));
  connectSession();
  connectProject();
  connectStartPage();
  m_views->restoreSettings();
  m_layout->restore();
  showRequest();
}

MainWindow::~MainWindow() {
  // The session's signals must not reach a half-destroyed window.
  m_session.undoStack().blockSignals(true);
  m_session.controller().blockSignals(true);
}

void MainWindow::addBars(const std::shared_ptr<Dialogs>& dialogs) {
  addToolBar(m_toolBar);
  addToolBarBreak();
  QToolBar* line = addToolBar(tr("Figures"));
  line->setObjectName(QStringLiteral("headline"));
  line->setMovable(false);
  line->setContextMenuPolicy(Qt::PreventContextMenu);
  line->layout()->setContentsMargins({});
  line->addWidget(m_headline);
  m_headline->setCorner(new ComparisonBar(*m_comparison, *m_actions, dialogs));
  m_headline->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  for (QToolBar* bar : {static_cast<QToolBar*>(m_toolBar), line}) {
    bar->toggleViewAction()->setVisible(false);
  }
}

void MainWindow::addCentre() {
  auto* centre = new QWidget;
  // Whatever is shown in it, the middle never asks the panels around it for more room.
  centre->setMinimumSize(kLeastCentre);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins({});
  layout->setSpacing(0);
  layout->addWidget(m_stack, 1);
  m_stack->addWidget(m_start);
  m_stack->addWidget(&m_views->tabs());
  m_messages->layOver(centre);
  setCentralWidget(centre);
}

void MainWindow::fillMenus() {
  m_menus->addPanels(m_views->panelToggles());
  m_menus->addViewActions(tr("&Graph"), m_views->graph().graphActions());
  m_views->graph().addTool(m_actions->at(ActionId::WorstLayer), tr("Go to worst"));
  m_menus->addAnalysisActions(tr("&Preset"), m_views->configuration().presetActions());
  m_menus->addViewActions(tr("&Finding"), m_views->findings().findingActions());
}

// Each controller knows what it connects; none knows the window.
void MainWindow::control(std::shared_ptr<Dialogs> dialogs) {
  auto* findings = new FindingsController(m_session, *m_views, *m_actions, this);
  new ConfigurationController(m_session, *m_views, *m_messages, this);
  new GainsController(m_session, *m_views, this);
  m_advice = new AdviceController(m_session, *m_views, *m_messages, this);
  connect(m_advice, &AdviceController::changed, m_actions, &Actions::refresh);
  new MapsController(m_session, *m_comparison, m_views->heatmap(), this);
  new ContributionController(m_session, *m_comparison, *m_messages, this);
  auto* sensitivity = new SensitivityController(m_session, m_views->sensitivity(), this);
  auto* search =
      new SearchController(m_session, *m_comparison, m_views->sensitivity(), dialogs, this);
  new ProfileController(m_session, m_views->sensitivity(), this);
  auto* exports = new ExportController(m_session, dialogs, this);
  auto* imports = new ImportController(m_session, *m_messages, dialogs, this);
  connect(m_opener, &ModelOpener::importChosen, imports, &ImportController::importFile);
  m_models = new ModelsController(m_session, dialogs, *m_messages, this);
  const auto openBeside = [this](const AnalysisRequest& request, const QString& note) {
    MainWindow& window = m_effects->openAnother();
    window.session().open(request);
    window.messages().tell({.sentence = note, .topic = QStringLiteral("repaired")});
  };
  auto* repairs =
      new RepairController(m_session, *m_views, *m_comparison, dialogs, openBeside, this);
  new FittingController(m_session, m_views->findings(), *m_advice, this);
  connect(&m_views->findings(), &FindingsView::repairRequested, repairs,
          &RepairController::openFor);
  const InspectorView& inspector = m_views->inspector();
  connect(&inspector, &InspectorView::repairRequested, repairs, [this, repairs] {
    const KnownAdvicePtr advice = m_advice->advice();
    advice && advice->next ? repairs->openForChange(advice->next->edit) : repairs->openFor({});
  });
  connect(&inspector, &InspectorView::layerRepairRequested, repairs,
          &RepairController::openSelected);
  m_causes = new CausesController(m_session, *m_views, this);
  connect(m_causes, &CausesController::changed, this, &MainWindow::showHeadline);
  connect(&m_views->configuration(), &ConfigurationPanel::overrideCountChanged, this,
          &MainWindow::showHeadline);
  connect(m_comparison, &Comparison::refused, this, [this](const QString& sentence) {
    m_messages->tell(
        {.sentence = sentence, .topic = QStringLiteral("configurations"), .passing = true});
  });
  AnalysisController& other = m_comparison->controller();
  connect(&other, &AnalysisController::failed, this, [this](const Error& error) {
    Message message = errorMessage(error, {.retry = [this] { m_comparison->retry(); }});
    message.sentence = tr("B: %1").arg(message.sentence);
    message.topic = kOtherTopic;
    m_messages->tell(message);
  });
  connect(m_comparison, &Comparison::interrupted, this, [this] {
    m_messages->tell({.sentence = tr("The analysis of B was cancelled."),
                      .remedies = {{tr("Retry"), [this] { m_comparison->retry(); }}},
                      .topic = kOtherTopic});
  });
  connect(&other, &AnalysisController::started, this, [this] { m_messages->dismiss(kOtherTopic); });
  connect(m_comparison, &Comparison::changed, this, [this] {
    if (m_comparison->name().isEmpty() || m_comparison->snapshot()) {
      m_messages->dismiss(kOtherTopic);
    }
  });
  connect(&other, &AnalysisController::runningChanged, this, [this] { m_actions->refresh(); });
  new OperatorNotice(m_session, *m_messages, this);
  new ReloadNotice(m_session, *m_messages, this);
  new WindowSearch(m_session, *m_views, *findings, *m_toolBar, *m_messages, this);
  new GuideController({m_session, m_views->guide(), *m_actions, *findings, *m_advice, *m_causes,
                       *exports, *m_comparison},
                      this);
  const auto atStake = [repairs, search] {
    QStringList lost;
    if (search->running()) {
      lost << tr("A search is not done: what it has found is lost when you go on.");
    }
    lost << repairs->atStake();
    lost.removeAll(QString());
    return lost.join(u'\n');
  };
  m_project = std::make_unique<ProjectController>(ProjectController::Parts{
      m_session, *m_views, *m_layout, *m_comparison, *m_messages, dialogs, this, atStake});
  connect(sensitivity, &SensitivityController::measured, this,
          [this] { m_project->keepMeasured(); });
  m_effects = std::make_unique<ActionEffects>(
      *m_actions, ActionEffects::Parts{*this,         m_session,  *m_opener,          *m_messages,
                                       *m_views,      *m_layout,  *findings,          *m_advice,
                                       *exports,      *imports,   *m_models,          *repairs,
                                       *sensitivity,  *search,    *m_toolBar,         *m_headline,
                                       *m_comparison, *m_palette, std::move(dialogs), *m_project});
}

void MainWindow::connectSession() {
  AnalysisController& controller = m_session.controller();
  connect(&controller, &AnalysisController::snapshotChanged, this, &MainWindow::showSnapshot);
  connect(&controller, &AnalysisController::runningChanged, this, [this] {
    m_toolBar->setRunning(m_session.controller().running());
    m_actions->refresh();
  });
  connect(&controller, &AnalysisController::started, this,
          [this] { m_session.options().setDataFailed(false); });
  connect(&controller, &AnalysisController::failed, this,
          [this] { m_session.options().setDataFailed(true); });
  connect(&m_session, &Session::requestChanged, this, &MainWindow::showRequest);
  connect(m_comparison, &Comparison::changed, this, [this] {
    m_views->findings().setCompared(otherFindings());
    showHeadline();
    m_actions->refresh();
  });
  connect(m_messages, &MessageBar::focusLeft, this, [this] {
    if (m_session.hasModel()) m_views->focusPage();
  });
  connect(&m_session.options(), &DisplayOptions::changed, m_actions, &Actions::refresh);
  connect(&m_session.selection(), &Selection::changed, m_actions, &Actions::refresh);
  connect(&m_session.selection(), &Selection::graphRequested, this, [this] {
    m_views->raiseGraph();
    m_session.selection().requestCentre();
  });
  connect(&m_session.selection(), &Selection::historyChanged, m_actions, &Actions::refresh);
  connect(&m_session.undoStack(), &QUndoStack::indexChanged, m_actions, &Actions::refresh);
  connect(&m_views->tabs(), &QTabWidget::currentChanged, m_actions, &Actions::refresh);
}

void MainWindow::connectProject() {
  connect(m_project.get(), &ProjectController::titleChanged, this, &MainWindow::showTitle);
  connect(m_project.get(), &ProjectController::unsavedWorkChanged, this, &MainWindow::showEntries);
  connect(m_menus, &Menus::discardRequested, m_project.get(), &ProjectController::discardUnsaved);
  connect(m_opener, &ModelOpener::projectChosen, this, &MainWindow::openProject);
  connect(m_opener, &ModelOpener::fellBack, m_project.get(), &ProjectController::goBack);
  m_opener->setLeaving([this] { return m_project->mayLeave(); });
}

// Two windows cannot write the same project: the one that has it comes to the front.
void MainWindow::openProject(const QString& path) {
  const QString whole = QDir::cleanPath(QFileInfo(path).absoluteFilePath());
  for (QWidget* widget : QApplication::topLevelWidgets()) {
    auto* window = qobject_cast<MainWindow*>(widget);
    if (window == nullptr || window->m_project->keeper().path() != whole) continue;
    window->raise();
    return window->activateWindow();
  }
  m_project->open(path);
}

void MainWindow::connectStartPage() {
  connect(m_start, &StartPage::openRequested, m_opener, &ModelOpener::askForModel);
  connect(m_start, &StartPage::pathChosen, m_opener, &ModelOpener::openModel);
  connect(m_menus, &Menus::modelChosen, m_opener, &ModelOpener::openModel);
  connect(&RecentFiles::instance(), &RecentFiles::changed, this, &MainWindow::showEntries);
  showEntries();
}

void MainWindow::showEntries() {
  constexpr qsizetype kMostRecent = 6;
  std::vector<StartPage::Entry> recent;
  for (const QString& path : RecentFiles::instance().paths().mid(0, kMostRecent)) {
    const QFileInfo file(path);
    recent.push_back({file.fileName(), file.path(), path, !file.exists()});
  }
  std::vector<StartPage::Entry> samples;
  for (const BundledSample& sample : bundledSamples()) {
    samples.push_back({sample.title, sample.subtitle, sample.path});
  }
  std::vector<StartPage::Entry> unsaved;
  for (const UnsavedWork& work : findUnsavedWork()) {
    unsaved.push_back({work.model, tr("changed %1").arg(whenText(work.changed)), work.file});
  }
  m_start->setRecent(recent);
  m_start->setUnsaved(unsaved);
  m_start->setSamples(samples);
}

void MainWindow::showSnapshot() {
  m_views->showSnapshot(m_session.snapshot());
  m_views->focusPageLate();
  showHeadline();
  m_actions->refresh();
}

void MainWindow::showHeadline() {
  const QString other = m_comparison->name();
  const ErrorCausesPtr causes = m_causes->causes();
  m_headline->setItems(headlineItems(
      m_session.snapshot(), m_session.stale(),
      {.snapshot = m_comparison->snapshot(),
       .name = other.isEmpty() ? tr("Before") : other,
       .ladder = causes && causes->ladder ? *causes->ladder : std::vector<LadderStep>(),
       .overrides = shownOverrides()}));
}

// Those of B; none where it is the same configuration, or where a change that was undone stands for
// it: nothing is new then.
std::shared_ptr<const DetectorReport> MainWindow::otherFindings() const {
  const SnapshotPtr& shown = m_session.snapshot();
  const SnapshotPtr other = m_comparison->snapshot();
  if (!shown || !other || other->request.config == shown->request.config) return nullptr;
  const bool asOpened = m_session.document().position() == 0 && m_comparison->name().isEmpty();
  return asOpened ? nullptr : other->detected;
}

// None while the configuration is another one already than that of the result.
std::optional<std::size_t> MainWindow::shownOverrides() const {
  const SnapshotPtr& shown = m_session.snapshot();
  const ConfigurationPanel& panel = m_views->configuration();
  if (!shown || panel.config() != *shown->request.config.precision) return std::nullopt;
  return static_cast<std::size_t>(panel.overrideCount());
}

void MainWindow::showRequest() {
  const bool open = m_session.hasModel();
  m_layout->showWorkbench(open);
  const bool opens = open && m_stack->currentWidget() == m_start;
  m_stack->setCurrentWidget(open ? static_cast<QWidget*>(&m_views->tabs()) : m_start);
  showTitle();
  showHeadline();
  if (opens) m_views->focusPage();
  for (QAction* toggle : m_views->panelToggles()) toggle->setEnabled(open);
  for (QAction* preset : m_views->configuration().presetActions()) preset->setEnabled(open);
  m_actions->refresh();
}

// The title has the placeholder [*] only while there are unsaved changes.
void MainWindow::showTitle() {
  const bool unsaved = m_project->keeper().unsaved();
  const QString title = m_session.hasModel() ? m_project->title() : QStringLiteral("Quantscope");
  if (!unsaved) setWindowModified(false);
  setWindowTitle(unsaved ? title + QStringLiteral("[*]") : title);
  setWindowModified(unsaved);
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
  if (!m_project->mayLeave()) return event->ignore();
  m_layout->save();
  m_views->saveSettings();
  m_session.controller().cancel();
  event->accept();
}

void openWindows(const CommandLine& line, const std::shared_ptr<Dialogs>& dialogs) {
  const auto queue = std::make_shared<JobQueue>();
  queue->setMemoryBudget(line.memoryBudget);
  const qsizetype count = std::max<qsizetype>(1, line.models.size());
  for (qsizetype i = 0; i < count; ++i) {
    auto* window = new MainWindow(dialogs, queue);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->show();
    if (i < line.models.size() && i > 0) window->opener().openModel(line.models[i]);
    if (i == 0) window->project().offerCrashed();
    if (i == 0 && !line.models.isEmpty()) window->opener().openCommandLine(line);
  }
}

}  // namespace quantscope
