#pragma once

#include <QMainWindow>
#include <memory>

#include "actions.h"
#include "app/gui/files/command_line.h"
#include "app/gui/files/model_opener.h"
#include "app/gui/session.h"
#include "dialogs.h"
#include "job_panels.h"
#include "menus.h"
#include "tool_bar.h"
#include "window_layout.h"
#include "window_views.h"

class QStackedWidget;

namespace quantscope {

class ActionEffects;
class AdviceController;
class CausesController;
class CommandPalette;
class Comparison;
class HeadlineBar;
class ModelsController;
class ProjectController;
class StartPage;

/// The workbench: puts a session, its views and the actions together, and nothing else.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  /// Jobs of all windows of a process belong into one queue.
  explicit MainWindow(std::shared_ptr<Dialogs> dialogs = desktopDialogs(),
                      std::shared_ptr<JobQueue> queue = std::make_shared<JobQueue>());
  ~MainWindow() override;

  Session& session() { return m_session; }
  Actions& actions() { return *m_actions; }
  ModelOpener& opener() { return *m_opener; }
  MessageBar& messages() { return *m_messages; }
  CommandPalette& palettePopup() { return *m_palette; }
  StartPage& startPage() { return *m_start; }
  QTabWidget& tabs() { return m_views->tabs(); }
  HeadlineBar& headline() { return *m_headline; }
  ToolBar& toolBar() { return *m_toolBar; }
  AdviceController& advice() { return *m_advice; }
  ModelsController& models() { return *m_models; }
  Comparison& comparison() { return *m_comparison; }
  ProjectController& project() { return *m_project; }
  const SnapshotTurns& turns() const { return m_views->turns(); }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void addBars(const std::shared_ptr<Dialogs>& dialogs);
  void addCentre();
  void fillMenus();
  void control(std::shared_ptr<Dialogs> dialogs);
  void connectSession();
  void connectStartPage();
  void showSnapshot();
  void showRequest();
  void showHeadline();
  std::shared_ptr<const DetectorReport> otherFindings() const;
  std::optional<std::size_t> shownOverrides() const;
  void showEntries();
  void showTitle();
  void openProject(const QString& path);
  void connectProject();

  Session m_session;
  Actions* m_actions;
  MessageBar* m_messages;
  QStackedWidget* m_stack;
  StartPage* m_start;
  WindowViews* m_views;
  ModelOpener* m_opener;
  JobPanels* m_jobs;
  Menus* m_menus;
  ToolBar* m_toolBar;
  HeadlineBar* m_headline;
  Comparison* m_comparison;
  CommandPalette* m_palette;
  AdviceController* m_advice = nullptr;
  CausesController* m_causes = nullptr;
  ModelsController* m_models = nullptr;
  std::unique_ptr<WindowLayout> m_layout;
  std::unique_ptr<ProjectController> m_project;
  std::unique_ptr<ActionEffects> m_effects;
};

/// A window for each model of the command line; one with the start page where there is none.
void openWindows(const CommandLine& line, const std::shared_ptr<Dialogs>& dialogs);

}  // namespace quantscope
