#include "action_effects.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenuBar>
#include <QScreen>
#include <QTabWidget>
#include <algorithm>

#include "app/gui/comparison.h"
#include "app/gui/controllers/advice_controller.h"
#include "app/gui/controllers/export_controller.h"
#include "app/gui/controllers/findings_controller.h"
#include "app/gui/controllers/import_controller.h"
#include "app/gui/controllers/models_controller.h"
#include "app/gui/controllers/repair_controller.h"
#include "app/gui/controllers/search_controller.h"
#include "app/gui/controllers/sensitivity_controller.h"
#include "app/gui/files/model_opener.h"
#include "app/gui/projects/project_controller.h"
#include "main_window.h"
#include "tool_bar.h"
#include "widgets/controls/command_palette.h"
#include "widgets/sensitivity/sensitivity_view.h"
#include "widgets/sensitivity/widening_pane.h"
#include "widgets/shell/headline_bar.h"
#include "window_layout.h"
#include "window_views.h"

namespace quantscope {
namespace {

// " set weights to per tensor", as it goes on after "Undo".
QString stepName(const QString& what) {
  return what.isEmpty() ? QString() : u' ' + what.left(1).toLower() + what.mid(1);
}

// With the frame that it is going to have, as far as it fits.
void keepOnScreen(QWidget& window, const QMargins& frame) {
  const QRect room = window.screen()->availableGeometry().marginsRemoved(frame);
  window.resize(window.size().boundedTo(room.size()));
  QRect place(window.pos() + QPoint(frame.left(), frame.top()), window.size());
  place.moveRight(std::min(place.right(), room.right()));
  place.moveBottom(std::min(place.bottom(), room.bottom()));
  place.moveLeft(std::max(place.left(), room.left()));
  place.moveTop(std::max(place.top(), room.top()));
  window.move(place.topLeft() - QPoint(frame.left(), frame.top()));
}

}  // namespace

ActionEffects::ActionEffects(Actions& actions, const Parts& parts)
    : m_actions(actions), m_parts(parts), m_walk(parts.session) {
  bindFile();
  bindView();
  bindUndo();
  bindPrecision();
  bindComparison();
  bindAnalysis();
  bindSensitivity();
  bindSearch();
  bindSelection();
  bindSteps();
}

void ActionEffects::bindFile() {
  m_actions.bind(ActionId::OpenModel, {.run = [this] { m_parts.opener.askForModel(); }});
  ProjectController& project = m_parts.project;
  m_actions.bind(ActionId::SaveProject,
                 {.run = [&project] { project.save(); }, .enabled = [this] { return hasModel(); }});
  m_actions.bind(ActionId::SaveProjectAs, {.run = [&project] { project.saveAs(); },
                                           .enabled = [this] { return hasModel(); }});
  m_actions.bind(ActionId::NewWindow, {.run = [this] { openAnother(); }});
  ExportController& exports = m_parts.exports;
  m_actions.bind(ActionId::Export, {.run = [&exports] { exports.open(); },
                                    .enabled = [&exports] { return exports.canExport(); }});
  ImportController& imports = m_parts.imports;
  m_actions.bind(ActionId::Import, {.run = [&imports] { imports.open(); },
                                    .enabled = [&imports] { return imports.canImport(); }});
  ModelsController& models = m_parts.models;
  m_actions.bind(ActionId::CompareWithModel,
                 {.run = [&models] { models.compareWithModel(); },
                  .enabled = [&models] { return models.canCompare(); }});
  m_actions.bind(ActionId::CompareWithDumps,
                 {.run = [&models] { models.compareWithDumps(); },
                  .enabled = [&models] { return models.canCompare(); }});
  m_actions.bind(ActionId::CloseModel, {.run =
                                            [this] {
                                              if (!m_parts.project.mayLeave()) return;
                                              m_parts.messages.dismissAll();
                                              m_parts.session.closeModel();
                                            },
                                        .enabled = [this] { return hasModel(); }});
  // The window may be gone before its action has returned.
  m_actions.bind(ActionId::CloseWindow, {.run = [this] {
                   QMetaObject::invokeMethod(&m_parts.window, &QWidget::close,
                                             Qt::QueuedConnection);
                 }});
  m_actions.bind(ActionId::Quit, {.run = [] {
                   QMetaObject::invokeMethod(qApp, &QApplication::closeAllWindows,
                                             Qt::QueuedConnection);
                 }});
  m_actions.bind(ActionId::Commands, {.run = [this] {
                   m_actions.refresh();
                   const QMenuBar& menus = *m_parts.window.menuBar();
                   m_parts.palette.open(menuCommands(menus), {}, blockedCommands(menus));
                 }});
  WindowViews& views = m_parts.views;
  m_actions.bind(ActionId::Guide, {.run = [&views] { views.raiseGuide(); },
                                   .enabled = [this] { return hasModel(); }});
  m_actions.bind(ActionId::About, {.run = [this] { m_parts.dialogs->showAbout(&m_parts.window); }});
}

void ActionEffects::bindView() {
  DisplayOptions& options = m_parts.session.options();
  QMainWindow& window = m_parts.window;
  for (const auto& [id, kind] : {std::pair(ActionId::KindLocal, ErrorKind::Local),
                                 std::pair(ActionId::KindAccumulated, ErrorKind::Accumulated),
                                 std::pair(ActionId::KindContribution, ErrorKind::Contribution)}) {
    m_actions.bind(id, {.run = [&options, kind = kind] { options.setKind(kind); },
                        .checked = [&options, kind = kind] { return options.kind() == kind; }});
  }
  m_actions.bind(ActionId::Stretch, {.run = [&options] { options.setStretch(!options.stretch()); },
                                     .checked = [&options] { return options.stretch(); }});
  m_actions.bind(
      ActionId::FullScreen,
      {.run = [&window] { window.setWindowState(window.windowState() ^ Qt::WindowFullScreen); },
       .checked = [&window] { return window.isFullScreen(); }});
  m_actions.bind(ActionId::ResetLayout, {.run = [this] { m_parts.layout.reset(); },
                                         .enabled = [this] { return hasModel(); }});
  bindTab(ActionId::ShowGraph, 0);
  bindTab(ActionId::ShowHeatmap, 1);
  bindTab(ActionId::ShowSensitivity, 2);
  bindTab(ActionId::ShowLayers, 3);
  bindTab(ActionId::ShowRanges, 4);
  bindTab(ActionId::ShowCompare, 5);
  bindTab(ActionId::ShowRepair, 6);
}

void ActionEffects::bindTab(ActionId id, int index) {
  QTabWidget& tabs = m_parts.views.tabs();
  m_actions.bind(
      id, {.run = [&tabs, index] { tabs.setCurrentIndex(index); },
           .enabled = [this] { return hasModel(); },
           .checked = [this, &tabs, index] { return hasModel() && tabs.currentIndex() == index; }});
}

void ActionEffects::bindUndo() {
  QUndoStack& stack = m_parts.session.undoStack();
  m_actions.bind(ActionId::Undo, {.run = [&stack] { stack.undo(); },
                                  .enabled = [&stack] { return stack.canUndo(); }});
  m_actions.bind(ActionId::Redo, {.run = [&stack] { stack.redo(); },
                                  .enabled = [&stack] { return stack.canRedo(); }});
  QAction* undo = m_actions.at(ActionId::Undo);
  QAction* redo = m_actions.at(ActionId::Redo);
  QObject::connect(&stack, &QUndoStack::undoTextChanged, undo, [undo](const QString& what) {
    undo->setText(Actions::tr("&Undo") + stepName(what));
  });
  QObject::connect(&stack, &QUndoStack::redoTextChanged, redo, [redo](const QString& what) {
    redo->setText(Actions::tr("&Redo") + stepName(what));
  });
}

void ActionEffects::bindPrecision() {
  PrecisionEditor& editor = m_parts.session.precision();
  const auto selected = [&editor] { return !editor.selected().empty(); };
  constexpr ActionId kTypes[] = {ActionId::SetType1, ActionId::SetType2, ActionId::SetType3,
                                 ActionId::SetType4};
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    m_actions.bind(kTypes[i], {.run = [&editor, i] { editor.setTypeAt(i); }, .enabled = selected});
  }
  m_actions.bind(ActionId::ResetPrecision,
                 {.run = [&editor] { editor.reset(); },
                  .enabled = [&editor] { return editor.selected().overridden > 0; }});
  m_actions.bind(ActionId::CopyPrecision,
                 {.run = [&editor] { editor.copy(); }, .enabled = selected});
  m_actions.bind(ActionId::PastePrecision,
                 {.run = [&editor] { editor.paste(); }, .enabled = selected});
}

void ActionEffects::bindComparison() {
  Comparison& comparison = m_parts.comparison;
  DisplayOptions& options = m_parts.session.options();
  m_actions.bind(ActionId::KeepConfiguration, {.run = [&comparison] { comparison.keep(); },
                                               .enabled = [this] { return hasModel(); }});
  m_actions.bind(ActionId::SwapConfigurations,
                 {.run = [&comparison] { comparison.swap(); },
                  .enabled = [&comparison] { return comparison.canSwap(); }});
  m_actions.bind(ActionId::Delta, {.run = [&options] { options.setDelta(!options.deltaChosen()); },
                                   .enabled = [&options] { return options.other() != nullptr; },
                                   .checked = [&options] { return options.delta(); }});
}

void ActionEffects::bindAnalysis() {
  Session& session = m_parts.session;
  m_actions.bind(
      ActionId::CopySummary,
      {.run =
           [this] { QApplication::clipboard()->setText(headlineText(m_parts.headline.items())); },
       .enabled = [&session] { return session.snapshot() != nullptr; }});
  m_actions.bind(ActionId::ChooseData,
                 {.run = [this] { m_parts.opener.askForData(); },
                  .enabled = [this] { return m_parts.opener.canAskForData(); }});
  m_actions.bind(
      ActionId::Run,
      {.run = [&session] { session.restart(); },
       .enabled = [&session] { return session.hasModel() && !session.controller().running(); }});
  AdviceController& advice = m_parts.advice;
  m_actions.bind(ActionId::AcceptNext, {.run = [&advice] { advice.takeNext(); },
                                        .enabled = [&advice] { return advice.hasNext(); }});
  m_actions.bind(ActionId::AcceptAll, {.run = [&advice] { advice.takeAll(); },
                                       .enabled = [&advice] { return advice.canTakeAll(); }});
  RepairController& repairs = m_parts.repairs;
  m_actions.bind(ActionId::Repair, {.run = [&repairs] { repairs.open(); },
                                    .enabled = [&repairs] { return repairs.canRepair(); }});
  m_actions.bind(ActionId::RepairSelected,
                 {.run = [&repairs] { repairs.openSelected(); },
                  .enabled = [&repairs] { return repairs.canRepairSelected(); }});
  m_actions.bind(ActionId::Cancel, {.run =
                                        [&session, &other = m_parts.comparison] {
                                          AnalysisController& own = session.controller();
                                          own.running() ? own.cancel() : other.interrupt();
                                        },
                                    .enabled =
                                        [&session, &other = m_parts.comparison] {
                                          return session.controller().running() ||
                                                 other.controller().running();
                                        }});
}

// What is started comes into view.
void ActionEffects::bindSensitivity() {
  SensitivityController& sensitivity = m_parts.sensitivity;
  SearchController& search = m_parts.search;
  WindowViews& views = m_parts.views;
  m_actions.bind(
      ActionId::MeasureSensitivity,
      {.run =
           [&sensitivity, &views] {
             if (sensitivity.running()) return sensitivity.pause();
             views.tabs().setCurrentWidget(&views.sensitivity());
             sensitivity.start();
           },
       .enabled = [&sensitivity] { return sensitivity.running() || sensitivity.canStart(); }});
  m_actions.bind(ActionId::ApplySensitive,
                 {.run =
                      [&sensitivity, &views] {
                        if (!sensitivity.canApply()) return;
                        sensitivity.apply(views.sensitivity().widening().count());
                      },
                  .enabled = [&sensitivity] { return sensitivity.canApply(); }});
  m_actions.bind(ActionId::Search,
                 {.run =
                      [&search, &views] {
                        if (search.running()) return search.stop();
                        views.tabs().setCurrentWidget(&views.sensitivity());
                        views.sensitivity().raiseFront();
                        search.start();
                      },
                  .enabled = [&search] { return search.running() || search.canSearch(); }});
  m_actions.bind(ActionId::Adopt, {.run = [&search] { search.adoptChosen(); },
                                   .enabled = [&search] { return search.canAdopt(); }});
}

void ActionEffects::bindSearch() {
  m_actions.bind(ActionId::Find, {.run =
                                      [this] {
                                        QLineEdit* field = m_parts.toolBar.search();
                                        field->setFocus(Qt::ShortcutFocusReason);
                                        field->selectAll();
                                      },
                                  .enabled = [this] { return hasModel(); }});
}

void ActionEffects::bindSelection() {
  Selection& selection = m_parts.session.selection();
  const auto isSelected = [&selection] { return !selection.current().empty(); };
  m_actions.bind(ActionId::Back, {.run = [&selection] { selection.goBack(); },
                                  .enabled = [&selection] { return selection.canGoBack(); }});
  m_actions.bind(ActionId::Forward, {.run = [&selection] { selection.goForward(); },
                                     .enabled = [&selection] { return selection.canGoForward(); }});
  m_actions.bind(ActionId::Centre,
                 {.run = [&selection] { selection.requestGraph(); }, .enabled = isSelected});
  m_actions.bind(ActionId::ClearSelection,
                 {.run = [&selection] { selection.clear(); }, .enabled = isSelected});
}

void ActionEffects::bindSteps() {
  const auto hasLayers = [this] { return m_walk.possible(); };
  m_actions.bind(ActionId::WorstLayer,
                 {.run = [this] { m_walk.goToWorst(); }, .enabled = hasLayers});
  m_actions.bind(ActionId::NextWorse,
                 {.run = [this] { m_walk.goToWorse(); }, .enabled = hasLayers});
  m_actions.bind(ActionId::NextBetter,
                 {.run = [this] { m_walk.goToBetter(); }, .enabled = hasLayers});
  FindingsController& findings = m_parts.findings;
  const auto hasFindings = [&findings] { return findings.hasFindings(); };
  m_actions.bind(ActionId::NextFinding,
                 {.run = [&findings] { findings.step(1); }, .enabled = hasFindings});
  m_actions.bind(ActionId::PreviousFinding,
                 {.run = [&findings] { findings.step(-1); }, .enabled = hasFindings});
}

MainWindow& ActionEffects::openAnother() {
  constexpr int kOffset = 32;
  m_parts.layout.save();
  auto* window = new MainWindow(m_parts.dialogs, m_parts.session.queue());
  window->setAttribute(Qt::WA_DeleteOnClose);
  window->move(m_parts.window.pos() + QPoint(kOffset, kOffset));
  const QRect outer = m_parts.window.frameGeometry();
  const QRect inner = m_parts.window.geometry();
  keepOnScreen(*window, {inner.left() - outer.left(), inner.top() - outer.top(),
                         outer.right() - inner.right(), outer.bottom() - inner.bottom()});
  window->show();
  return *window;
}

}  // namespace quantscope
