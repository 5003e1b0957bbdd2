#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QMenuBar>
#include <QTabWidget>
#include <algorithm>

#include "layer_order.h"
#include "main_window.h"
#include "widgets/graph/graph_view.h"
#include "widgets/look/text.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/headline_bar.h"
#include "widgets/view/layer_index.h"

namespace quantscope {
namespace {

// " set weights to per tensor", as it goes on after "Undo".
QString stepName(const QString& what) {
  return what.isEmpty() ? QString() : u' ' + what.left(1).toLower() + what.mid(1);
}

}  // namespace

void MainWindow::bindFileActions() {
  const auto hasModel = [this] { return m_session.hasModel(); };
  m_actions->bind(ActionId::OpenModel, {.run = [this] { m_opener->askForModel(); }});
  m_actions->bind(ActionId::NewWindow, {.run = [this] { openAnother(); }});
  m_actions->bind(ActionId::CloseModel, {.run =
                                             [this] {
                                               m_messages->dismissAll();
                                               m_session.closeModel();
                                             },
                                         .enabled = hasModel});
  // The window may be gone before its action has returned.
  m_actions->bind(ActionId::CloseWindow, {.run = [this] {
                    QMetaObject::invokeMethod(this, &QWidget::close, Qt::QueuedConnection);
                  }});
  m_actions->bind(ActionId::Quit, {.run = [] {
                    QMetaObject::invokeMethod(qApp, &QApplication::closeAllWindows,
                                              Qt::QueuedConnection);
                  }});
  m_actions->bind(ActionId::Commands,
                  {.run = [this] { m_palette->open(menuCommands(*menuBar())); }});
  m_actions->bind(ActionId::About, {.run = [this] { m_dialogs->showAbout(this); }});
}

void MainWindow::bindViewActions() {
  const auto hasModel = [this] { return m_session.hasModel(); };
  DisplayOptions& options = m_session.options();
  m_actions->bind(ActionId::KindLocal,
                  {.run = [&options] { options.setKind(ErrorKind::Local); },
                   .checked = [&options] { return options.kind() == ErrorKind::Local; }});
  m_actions->bind(ActionId::KindAccumulated,
                  {.run = [&options] { options.setKind(ErrorKind::Accumulated); },
                   .checked = [&options] { return options.kind() == ErrorKind::Accumulated; }});
  m_actions->bind(ActionId::Stretch, {.run = [&options] { options.setStretch(!options.stretch()); },
                                      .checked = [&options] { return options.stretch(); }});
  m_actions->bind(ActionId::FullScreen,
                  {.run = [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); },
                   .checked = [this] { return isFullScreen(); }});
  m_actions->bind(ActionId::ResetLayout,
                  {.run = [this] { m_layout->reset(); }, .enabled = hasModel});
  bindTab(ActionId::ShowGraph, 0);
  bindTab(ActionId::ShowHeatmap, 1);
  bindTab(ActionId::ShowLayers, 2);
  bindTab(ActionId::ShowRanges, 3);
}

void MainWindow::bindTab(ActionId id, int index) {
  m_actions->bind(
      id, {.run = [this, index] { m_tabs->setCurrentIndex(index); },
           .enabled = [this] { return m_session.hasModel(); },
           .checked = [this,
                       index] { return m_session.hasModel() && m_tabs->currentIndex() == index; }});
}

void MainWindow::bindAnalysisActions() {
  QUndoStack& stack = m_session.undoStack();
  m_actions->bind(ActionId::Undo, {.run = [&stack] { stack.undo(); },
                                   .enabled = [&stack] { return stack.canUndo(); }});
  m_actions->bind(ActionId::Redo, {.run = [&stack] { stack.redo(); },
                                   .enabled = [&stack] { return stack.canRedo(); }});
  connect(&stack, &QUndoStack::undoTextChanged, this, [this](const QString& what) {
    m_actions->at(ActionId::Undo)->setText(tr("&Undo") + stepName(what));
  });
  connect(&stack, &QUndoStack::redoTextChanged, this, [this](const QString& what) {
    m_actions->at(ActionId::Redo)->setText(tr("&Redo") + stepName(what));
  });
  m_actions->bind(
      ActionId::CopySummary,
      {.run = [this] { QApplication::clipboard()->setText(headlineText(m_headline->items())); },
       .enabled = [this] { return m_session.snapshot() != nullptr; }});
  m_actions->bind(ActionId::ChooseData, {.run = [this] { m_opener->askForData(); },
                                         .enabled = [this] { return m_opener->canAskForData(); }});
  m_actions->bind(
      ActionId::Run,
      {.run = [this] { m_session.restart(); },
       .enabled = [this] { return m_session.hasModel() && !m_session.controller().running(); }});
  m_actions->bind(ActionId::AcceptAll, {.run = [this] { m_session.acceptAllSuggestions(); },
                                        .enabled =
                                            [this] {
                                              const SnapshotPtr& snapshot = m_session.snapshot();
                                              return snapshot && snapshot->detected &&
                                                     !m_session.accepting() &&
                                                     !m_session.controller().running();
                                            }});
  m_actions->bind(ActionId::Cancel,
                  {.run = [this] { m_session.controller().cancel(); },
                   .enabled = [this] { return m_session.controller().running(); }});
}

void MainWindow::bindGoActions() {
  Selection& selection = m_session.selection();
  const auto hasLayers = [this] {
    return m_session.snapshot() != nullptr &&
           m_session.snapshot()->stage != AnalysisSnapshot::Stage::Structure;
  };
  const auto isSelected = [&selection] { return !selection.current().empty(); };
  m_actions->bind(ActionId::Find, {.run =
                                       [this] {
                                         m_toolBar->search()->setFocus(Qt::ShortcutFocusReason);
                                         m_toolBar->search()->selectAll();
                                       },
                                   .enabled = [this] { return m_session.hasModel(); }});
  m_actions->bind(ActionId::Back, {.run = [&selection] { selection.goBack(); },
                                   .enabled = [&selection] { return selection.canGoBack(); }});
  m_actions->bind(ActionId::Forward,
                  {.run = [&selection] { selection.goForward(); },
                   .enabled = [&selection] { return selection.canGoForward(); }});
  m_actions->bind(ActionId::WorstLayer,
                  {.run = [this] { goAlongErrors(0); }, .enabled = hasLayers});
  m_actions->bind(ActionId::NextWorse,
                  {.run = [this] { goAlongErrors(-1); }, .enabled = hasLayers});
  m_actions->bind(ActionId::NextBetter,
                  {.run = [this] { goAlongErrors(1); }, .enabled = hasLayers});
  bindFindingSteps();
  m_actions->bind(ActionId::Centre,
                  {.run = [&selection] { selection.requestGraph(); }, .enabled = isSelected});
  m_actions->bind(ActionId::ClearSelection,
                  {.run = [&selection] { selection.clear(); }, .enabled = isSelected});
}

void MainWindow::bindFindingSteps() {
  const auto hasFindings = [this] {
    const SnapshotPtr& snapshot = m_session.snapshot();
    return snapshot && snapshot->detected && !snapshot->detected->findings.empty();
  };
  m_actions->bind(ActionId::NextFinding,
                  {.run = [this] { stepFinding(1); }, .enabled = hasFindings});
  m_actions->bind(ActionId::PreviousFinding,
                  {.run = [this] { stepFinding(-1); }, .enabled = hasFindings});
}

void MainWindow::selectLayer(std::size_t layer) {
  m_session.selection().selectNode(m_session.snapshot()->result->layers[layer].node);
  m_session.selection().requestCentre();
}

void MainWindow::goAlongErrors(int steps) {
  const AnalysisResult& result = *m_session.snapshot()->result;
  const std::vector<std::size_t> order = worstFirst(result, m_session.options());
  if (order.empty()) return;
  const auto current = LayerIndex(result).find(m_session.selection().current().node);
  const auto at = current ? std::ranges::find(order, *current) : order.end();
  if (steps == 0 || at == order.end()) return selectLayer(order.front());
  const auto position = at - order.begin() + steps;
  const auto last = static_cast<std::ptrdiff_t>(order.size()) - 1;
  selectLayer(order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(position, 0, last))]);
}

void MainWindow::openAnother() {
  constexpr int kOffset = 32;
  m_layout->save();
  auto* window = new MainWindow(m_dialogs);
  window->setAttribute(Qt::WA_DeleteOnClose);
  window->move(pos() + QPoint(kOffset, kOffset));
  window->show();
}

void openWindows(const CommandLine& line, const std::shared_ptr<Dialogs>& dialogs) {
  const qsizetype count = std::max<qsizetype>(1, line.models.size());
  for (qsizetype i = 0; i < count; ++i) {
    auto* window = new MainWindow(dialogs);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->session().controller().setMemoryBudget(line.memoryBudget);
    window->show();
    if (i < line.models.size() && i > 0) window->opener().openModel(line.models[i]);
    if (i == 0 && !line.models.isEmpty()) window->opener().openCommandLine(line);
  }
}

}  // namespace quantscope
