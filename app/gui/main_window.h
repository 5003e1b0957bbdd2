#pragma once

#include <QMainWindow>
#include <memory>
#include <vector>

#include "actions.h"
#include "command_line.h"
#include "dialogs.h"
#include "job_panels.h"
#include "menus.h"
#include "model_opener.h"
#include "session.h"
#include "snapshot_turns.h"
#include "tool_bar.h"
#include "widgets/findings/find_matches.h"
#include "widgets/view/snapshot_view.h"
#include "window_layout.h"

class QStackedWidget;
class QTabWidget;

namespace quantscope {

class CommandPalette;
class FindingsView;
class GraphView;
class InspectorView;
class HeadlineBar;
class SchemePanel;
class StartPage;

/// The workbench: wires views, actions and the session, and nothing else.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(std::shared_ptr<Dialogs> dialogs = desktopDialogs());
  ~MainWindow() override;

  Session& session() { return m_session; }
  Actions& actions() { return *m_actions; }
  ModelOpener& opener() { return *m_opener; }
  MessageBar& messages() { return *m_messages; }
  CommandPalette& palettePopup() { return *m_palette; }
  StartPage& startPage() { return *m_start; }
  QTabWidget& tabs() { return *m_tabs; }
  HeadlineBar& headline() { return *m_headline; }
  ToolBar& toolBar() { return *m_toolBar; }
  const SnapshotTurns& turns() const { return *m_turns; }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void addViews();
  void addTab(SnapshotView* view, const QString& title, const QString& drawing);
  QDockWidget* addPanel(QWidget* widget, const QString& name, const QString& title,
                        Qt::DockWidgetArea area);
  void addBars();
  void addPanels();
  void connectSession();
  void connectStartPage();
  void bindFileActions();
  void bindViewActions();
  void bindAnalysisActions();
  void bindGoActions();
  void bindFindingSteps();
  void bindTab(ActionId id, int index);
  void showSnapshot();
  void tellNotices();
  void changeSharing(const ConfigEdit& edit);
  void showRequest();
  void showEntries();
  void selectLayer(std::size_t layer);
  void goAlongErrors(int steps);
  void search();
  void findNext(const QString& words, bool forward);
  void goTo(const SearchMatch& match);
  void connectFindings();
  void raiseFindings();
  void showFinding(const std::string& id);
  void stepFinding(int by);
  void tellAccepting();
  void tellAccepted(Session::Accepted outcome, std::size_t leftOut);
  void openAnother();
  void restoreOptions();
  void saveOptions();

  Session m_session;
  std::shared_ptr<Dialogs> m_dialogs;
  Actions* m_actions;
  MessageBar* m_messages;
  std::vector<std::string> m_notices;  // those last told
  QStackedWidget* m_stack;
  StartPage* m_start;
  QTabWidget* m_tabs;
  GraphView* m_graph = nullptr;
  FindingsView* m_findings = nullptr;
  QDockWidget* m_findingsPanel = nullptr;
  SearchMatch m_lastFound;  // that the search went to, or what was selected since
  ModelOpener* m_opener;
  SchemePanel* m_scheme = nullptr;
  InspectorView* m_inspector = nullptr;
  JobPanels* m_jobs;
  Menus* m_menus;
  ToolBar* m_toolBar;
  HeadlineBar* m_headline;
  CommandPalette* m_palette;
  SnapshotTurns* m_turns;
  QList<QAction*> m_panelToggles;
  std::unique_ptr<WindowLayout> m_layout;
};

/// A window for each model of the command line; one with the start page where there is none.
void openWindows(const CommandLine& line, const std::shared_ptr<Dialogs>& dialogs);

}  // namespace quantscope
