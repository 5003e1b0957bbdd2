#pragma once

#include <QDialog>

#include "base/job_context.h"
#include "repair/recipe.h"
#include "training/training_steps.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace quantscope {

class CurveChart;

/// Asks which repairs to try, and shows the gain of each. It requests the work and does none
/// itself.
class RepairDialog : public QDialog {
  Q_OBJECT

 public:
  explicit RepairDialog(const QString& model, QWidget* parent = nullptr);

  /// Only these steps are chosen, by name; empty = all.
  void choose(const std::vector<std::string>& steps);
  /// Offers to change these layers alone, by the nodes that lead them; chosen where `only`.
  void offerLayers(const std::vector<std::string>& layers, bool only);
  /// The request as the dialog shows it now. `training`: for the step that trains.
  RepairRequest request(std::shared_ptr<TrainingRun> training = nullptr) const;

  void showProgress(const Progress& progress);
  /// The loss of a training goes on.
  void showLoss(const TrainingPoint& point);
  void showResult(const RepairResult& result);
  /// `what`: the whole message. Nothing has changed.
  void showError(const QString& what);
  void showCancelled();
  /// Heading and steps as text.
  QString asText() const;

 Q_SIGNALS:
  void repairRequested(const quantscope::RepairRequest& request,
                       const std::shared_ptr<quantscope::TrainingRun>& training);
  void cancelRequested();
  /// The user wants the repaired model to be written and opened.
  void openRequested();

 protected:
  /// A closing dialog stops its request.
  void done(int result) override;

 private:
  void fillSteps();
  QLayout* makeButtons();
  void start();
  void setBusy(bool busy);
  void setCell(int row, int column, const QString& words, const QString& tip = {});
  void showStep(int row, const StepReport& report);

  std::vector<RepairStep> m_all;  // by row
  int m_triedByDefault;           // so many of them; training takes its time
  QTableWidget* m_steps;
  CurveChart* m_loss;
  QString m_phase;  // phase of the loss
  std::vector<QPointF> m_points;
  QSpinBox* m_seconds;
  QCheckBox* m_only;
  std::vector<std::string> m_layers;  // layers on offer
  QLabel* m_heading;
  QProgressBar* m_progress;
  QPushButton* m_copy = nullptr;
  QPushButton* m_open = nullptr;
  QPushButton* m_cancel = nullptr;
  QPushButton* m_repair = nullptr;
  bool m_busy = false;
};

}  // namespace quantscope
