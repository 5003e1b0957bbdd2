#pragma once

#include <QElapsedTimer>

#include "base/job_context.h"
#include "jobs/repair/decide_step.h"
#include "training/training_choices.h"
#include "training/training_steps.h"
#include "widgets/view/snapshot_view.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace quantscope {

class CurveChart;
class ElidedLabel;
class RepairDetail;
class RepairTable;

/// What a repair has come to so far.
struct RepairShown {
  std::shared_ptr<const RepairResult> result;  ///< null = nothing was tried yet
  SnapshotPtr before;                          ///< what was repaired
  SnapshotPtr repaired;
  bool canUndo = false;
  bool canRedo = false;
  /// Says that the repairs that stand are of another configuration; empty where they are not.
  QString elsewhere = {};
  bool canGoThere = false;

  friend bool operator==(const RepairShown&, const RepairShown&) = default;
};

/// The steps that repair a model: tried together or one by one, kept or dropped, and what they have
/// done to the layer that is selected. It requests the work and does none itself.
class RepairView : public SnapshotView {
  Q_OBJECT

 public:
  explicit RepairView(const ViewContext& context, QWidget* parent = nullptr);

  /// Only these steps are chosen, by name; empty = all that are tried by default.
  void choose(const std::vector<std::string>& steps);
  /// Offers to change these layers alone, by the nodes that lead them; none = no such offer. Where
  /// they are other ones, the user has to choose them first.
  void offerLayers(const std::vector<std::string>& layers);
  /// The layers on offer where they alone are to change; null = all layers may.
  const std::vector<std::string>* onlyLayers() const;
  /// False = all layers.
  void changeOnlyThese(bool only = true) const;
  /// The request as the view shows it now. `training`: for the step that trains.
  RepairRequest request(std::shared_ptr<TrainingRun> training = nullptr) const;

  /// How the step that trains is to be carried out.
  const TrainingChoices& training() const { return m_trainingChoices; }

  /// The choices of training; an empty state is that of the default.
  QByteArray saveState() const override;
  /// Without those that name layers.
  QByteArray saveSettings() const override;
  bool restoreState(const QByteArray& state) override;
  /// Drops the choices that name layers: those of another model have other names.
  void forgetLayers();

  /// There is a complete result to start from.
  void setPossible(bool possible);
  void setShown(const RepairShown& shown);
  const RepairShown& shown() const { return m_shown; }

  void showProgress(const Progress& progress);
  /// The loss of a training goes on.
  void showLoss(const TrainingPoint& point);
  /// `words`: what goes on, until setShown(), showError() or showCancelled(). `canStop`: it may be
  /// ended with what it has.
  void showBusy(const QString& words, bool canStop = false);
  bool busy() const { return m_busy; }
  /// What goes on may be ended with what it has.
  bool canStop() const;
  /// `what`: the whole message. Nothing has changed.
  void showError(const QString& what);
  void showCancelled();
  /// A training with these choices was stopped, and goes on when it is tried again with them.
  void setStoppedTraining(const std::optional<TrainingChoices>& choices);
  /// Heading and steps as text.
  QString asText() const;

 Q_SIGNALS:
  /// Another snapshot is in sight.
  void seen();
  /// All chosen steps, from the start.
  void repairRequested();
  void decided(const quantscope::StepDecision& decision);
  void cancelRequested();
  /// What goes on is to end with what it has.
  void stopRequested();
  void undoRequested();
  void redoRequested();
  /// The repaired model is to be compared with as B.
  void compareRequested();
  /// It is to be written and opened.
  void openRequested();
  /// The configuration that was repaired is to be shown.
  void thereRequested();
  /// An error, or cancelled by the user: nothing has changed.
  void ended();
  /// The user has made other choices of training.
  void trainingChanged();

 protected:
  void showSnapshot() override;
  void showSelection() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeSteps();
  QLayout* makePage();
  QLayout* makeBar();
  QLayout* makeStepBar();
  void start();
  void stop();
  void decide(StepDecision::What what);
  void askForTraining();
  void setTraining(const TrainingChoices& choices);
  void setBusy(bool busy);
  void refreshButtons();
  void say(const QString& words);
  void sayResult();
  void fitHeight();
  QString restWords() const;
  QString limitWords() const;
  QString waitingWords() const;

  RepairShown m_shown;
  RepairTable* m_steps;
  CurveChart* m_loss;
  QString m_phase;  // of the loss
  std::vector<QPointF> m_points;
  QWidget* m_limit;
  QSpinBox* m_seconds;
  QCheckBox* m_only;
  std::vector<std::string> m_layers;  // layers on offer
  QLabel* m_heading;
  QProgressBar* m_progress;
  QPushButton* m_repair;
  QPushButton* m_stop;
  QPushButton* m_training;
  TrainingChoices m_trainingChoices;
  QPushButton* m_compare;
  QPushButton* m_open;
  QPushButton* m_there;
  QToolButton* m_undo;
  QToolButton* m_redo;
  QLabel* m_remarks;  // on the step that is selected
  ElidedLabel* m_stepWords;
  QPushButton* m_try;
  QPushButton* m_keep;
  QPushButton* m_drop;
  RepairDetail* m_detail;
  QLabel* m_empty;
  QStackedWidget* m_pages;
  bool m_possible = false;
  bool m_busy = false;
  bool m_triesAll = false;  // Repair was pressed, and not yet answered
  bool m_stopping = false;
  QElapsedTimer m_since;  // it was busy
  std::optional<TrainingChoices> m_stoppedTraining;
};

}  // namespace quantscope
