#pragma once

#include <QString>
#include <memory>
#include <optional>

#include "jobs/analysis_snapshot.h"
#include "project/linked_files.h"

class QWidget;

namespace quantscope {

/// The twin of a model in a comparison: another model, or a folder of dumps of a device.
enum class TwinKind { Model, Dumps };

/// The questions that stop the user; tests answer them without a window.
class Dialogs {
 public:
  virtual ~Dialogs() = default;

  /// The file of a model or project; empty = none.
  virtual QString chooseModel(QWidget* parent, const QString& folder) = 0;
  /// Asks for the place of a project; empty = cancelled.
  virtual QString chooseProject(QWidget* parent, const QString& proposed) = 0;
  /// The file that replaces a missing file of a project; empty = not known.
  virtual QString chooseReplacement(QWidget* parent, FileRole role, const QString& gone) = 0;
  /// The twin to compare a model with; empty = none.
  virtual QString chooseTwin(QWidget* parent, const QString& folder, TwinKind kind) = 0;
  /// The file of another tool, or a configuration, to be taken over; empty = none.
  virtual QString chooseImport(QWidget* parent, const QString& folder) = 0;
  /// Asks for the place of a comparison; empty = cancelled.
  virtual QString chooseComparison(QWidget* parent, const QString& proposed) = 0;
  /// The folder that a repaired model is written into, which need not be there; empty = none.
  virtual QString chooseRepaired(QWidget* parent, const QString& proposed) = 0;
  /// Asks for another name in place of `name`; empty = none.
  virtual QString chooseName(QWidget* parent, const QString& name) = 0;
  /// Asks whether something may be lost; `question` names it.
  virtual bool mayLose(QWidget* parent, const QString& question, const QString& consent) = 0;
  /// Asks for other samples for a model; `start` is the current request.
  virtual std::optional<AnalysisRequest> chooseData(QWidget* parent, const LoadedModel& model,
                                                    const AnalysisRequest& start) = 0;
  virtual void showAbout(QWidget* parent) = 0;
  /// Opens a folder in the desktop's file manager.
  virtual void openFolder(const QString& folder) = 0;
  /// A table of the times of layers; empty = none.
  virtual QString chooseCosts(QWidget* parent, const QString& folder) = 0;
};

/// The dialogs of the desktop.
std::shared_ptr<Dialogs> desktopDialogs();

}  // namespace quantscope
