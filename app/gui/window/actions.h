#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <functional>
#include <span>

class QAction;
class QWidget;

namespace quantscope {

/// Everything that the window can be told to do.
enum class ActionId {
  OpenModel,
  SaveProject,
  SaveProjectAs,
  NewWindow,
  Export,
  Import,
  CompareWithModel,
  CompareWithDumps,
  CloseModel,
  CloseWindow,
  Quit,
  Undo,
  Redo,
  CopySummary,
  SetType1,
  SetType2,
  SetType3,
  SetType4,
  ResetPrecision,
  CopyPrecision,
  PastePrecision,
  KeepConfiguration,
  SwapConfigurations,
  Find,
  KindLocal,
  KindAccumulated,
  KindContribution,
  Delta,
  Stretch,
  FullScreen,
  ResetLayout,
  ChooseData,
  Run,
  Cancel,
  AcceptNext,
  AcceptAll,
  MeasureSensitivity,
  ApplySensitive,
  Search,
  Adopt,
  Repair,
  RepairSelected,
  Back,
  Forward,
  ClearSelection,
  Centre,
  WorstLayer,
  NextWorse,
  NextBetter,
  NextFinding,
  PreviousFinding,
  ShowGraph,
  ShowHeatmap,
  ShowSensitivity,
  ShowLayers,
  ShowRanges,
  ShowCompare,
  ShowRepair,
  Guide,
  Commands,
  About,
};

enum class MenuId { File, Edit, View, Analysis, Go, Window, Help };

/// How an action is named, found and explained; menus, toolbar, shortcuts and the command palette
/// are made from it. Texts are for tr() in the context "Actions".
struct ActionSpec {
  ActionId id;
  const char* name;  ///< of the object: "file.open"
  MenuId menu;
  int group;  ///< groups of a menu are separated by a line
  const char* text;
  const char* icon;       ///< see icon(); empty = none
  const char* shortcuts;  ///< portable, separated by "; "; empty = none
  const char* tooltip;    ///< one sentence
  bool checkable = false;
};

/// All of them, in the order of the menus.
std::span<const ActionSpec> actionSpecs();

/// "Analysis"; with & for its key where `mnemonic`.
QString menuTitle(MenuId menu, bool mnemonic);

/// The actions of one window, with their effects and their states.
class Actions : public QObject {
  Q_OBJECT

 public:
  /// The effect of an action, whether it is enabled, and whether it is checked (if checkable).
  struct Effect {
    std::function<void()> run;
    std::function<bool()> enabled = [] { return true; };
    std::function<bool()> checked = {};
  };

  /// Adds the actions to `window`, so that their shortcuts work in all of it.
  explicit Actions(QWidget* window);

  QAction* at(ActionId id) const { return m_actions.value(id); }
  void bind(ActionId id, Effect effect);
  /// Asks every action again whether it can run and whether it is on.
  void refresh();

 private:
  QHash<ActionId, QAction*> m_actions;
  QHash<ActionId, Effect> m_effects;
};

}  // namespace quantscope
