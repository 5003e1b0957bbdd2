#pragma once

#include <QString>
#include <memory>
#include <optional>

#include "jobs/analysis_snapshot.h"

class QWidget;

namespace quantscope {

/// The questions that stop the user; tests answer them without a window.
class Dialogs {
 public:
  virtual ~Dialogs() = default;

  /// A model's file; empty = none.
  virtual QString chooseModel(QWidget* parent, const QString& folder) = 0;
  /// Other samples for a model; `start` is what there is now.
  virtual std::optional<AnalysisRequest> chooseData(QWidget* parent, const LoadedModel& model,
                                                    const AnalysisRequest& start) = 0;
  virtual void showAbout(QWidget* parent) = 0;
  /// In the desktop's file manager.
  virtual void openFolder(const QString& folder) = 0;
};

/// Those of the desktop.
std::shared_ptr<Dialogs> desktopDialogs();

}  // namespace quantscope
