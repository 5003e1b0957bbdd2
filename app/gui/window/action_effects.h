#pragma once

#include <memory>

#include "actions.h"
#include "app/gui/error_walk.h"
#include "app/gui/session.h"

class QMainWindow;

namespace quantscope {

class AdviceController;
class CommandPalette;
class Comparison;
class Dialogs;
class ExportController;
class FindingsController;
class HeadlineBar;
class ImportController;
class MainWindow;
class MessageBar;
class ModelOpener;
class ModelsController;
class ProjectController;
class RepairController;
class SearchController;
class SensitivityController;
class ToolBar;
class WindowLayout;
class WindowViews;

/// Defines the effects of a window's actions, and when they are enabled.
class ActionEffects {
 public:
  /// The parts of the window that the actions use; all outlive the actions.
  struct Parts {
    QMainWindow& window;
    Session& session;
    ModelOpener& opener;
    MessageBar& messages;
    WindowViews& views;
    WindowLayout& layout;
    FindingsController& findings;
    AdviceController& advice;
    ExportController& exports;
    ImportController& imports;
    ModelsController& models;
    RepairController& repairs;
    SensitivityController& sensitivity;
    SearchController& search;
    ToolBar& toolBar;
    HeadlineBar& headline;
    Comparison& comparison;
    CommandPalette& palette;
    std::shared_ptr<Dialogs> dialogs;
    ProjectController& project;
  };

  ActionEffects(Actions& actions, const Parts& parts);

  /// Another window, for a second model beside this one.
  MainWindow& openAnother();

 private:
  void bindFile();
  void bindView();
  void bindTab(ActionId id, int index);
  void bindUndo();
  void bindPrecision();
  void bindComparison();
  void bindAnalysis();
  void bindSensitivity();
  void bindSearch();
  void bindSelection();
  void bindSteps();
  bool hasModel() const { return m_parts.session.hasModel(); }

  Actions& m_actions;
  Parts m_parts;
  ErrorWalk m_walk;
};

}  // namespace quantscope
