#pragma once

#include <QObject>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "app/gui/session.h"
#include "app/gui/window/dialogs.h"
#include "dialog_job.h"
#include "jobs/repair/repeat_repairs.h"
#include "precision/edits/config_edit.h"
#include "repair/fitting_steps.h"
#include "widgets/repair/repair_view.h"

namespace quantscope {

class Comparison;
class WindowViews;

/// Repairs the model that is shown, in the background, step by step or all at once; compares with
/// what came of it, and opens it.
class RepairController : public QObject {
  Q_OBJECT

 public:
  /// Opens a model of its own with these settings in another window, and says `note` there.
  using Open = std::function<void(const AnalysisRequest&, const QString& note)>;

  /// All of them outlive it.
  RepairController(Session& session, WindowViews& views, Comparison& comparison,
                   std::shared_ptr<Dialogs> dialogs, Open open, QWidget* window);

  /// There is a complete result of the configuration that is asked for.
  bool canRepair() const;
  /// Shows the steps as they were chosen.
  void open();
  /// The same with these steps alone, all where none is named, for its layers alone.
  void openFor(const FittingRepair& repair);
  /// For the layers that a change of the configuration is about; see repairableLayers().
  void openForChange(const ConfigEdit& edit);
  /// The selected layers that can be repaired by themselves.
  bool canRepairSelected() const { return canRepair() && !selectedLayers().empty(); }
  /// The same for these alone.
  void openSelected();
  /// What is lost where the work that runs now is given up, as a sentence; empty = nothing.
  QString atStake() const;

 private:
  /// What a decision came to.
  struct Repaired {
    SnapshotPtr before;  ///< what was repaired
    std::shared_ptr<const RepairResult> result;
    SnapshotPtr snapshot;
    DecidedRepairs decided;  ///< what the project keeps of it
  };
  /// Whether an edit of the journal leads back to what repairs were decided for.
  struct WayBack {
    DecidedRepairs decided;
    std::uint64_t last = 0;  ///< the edit that was the last one when it was looked for
    bool isThere = false;
  };
  /// Carries a request out.
  using Run = std::function<RepairResult(const RepairRequest& limits, const Labels& labels,
                                         AnalysisMemory& memory, JobContext& job)>;

  /// Named by the nodes that lead them.
  std::vector<std::string> selectedLayers() const;
  /// Repairs can change all of them.
  bool areThere(const std::vector<std::string>& layers) const;
  /// Offers the selected layers, unless others are chosen to change alone.
  void offerLayers();
  /// What is known of the repairs that stand, if they are of what is shown; null = nothing.
  const Repaired* standing() const;
  bool isNextStep(std::size_t place) const;
  void follow();
  void followDocument();
  void repair();
  void decide(const StepDecision& decision);
  /// What the project keeps was decided on what is shown, and is not there yet.
  bool canRepeat() const;
  /// Carries out again what the project keeps of this configuration's repairs.
  void repeat();
  /// `what`: the step that it is; `decided`: what the project keeps of it, nothing = what comes of
  /// it.
  void run(const std::shared_ptr<TrainingRun>& training, const QString& what, const Run& work,
           const std::optional<DecidedRepairs>& decided = {});
  void take(const Repaired& repaired, const QString& what);
  /// Says where the repairs are of another configuration than the one that is asked for.
  void showElsewhere(RepairShown& shown);
  /// What `decided` was decided on; nothing where it is not known.
  std::optional<Configuration> configurationOf(const DecidedRepairs& decided) const;
  /// Goes to the configuration that was repaired.
  void goThere();
  /// The document keeps the checkpoint of what is trained; none = that has ended.
  void keepCheckpoint(const StoppedTraining& stopped);
  void showStopped();
  /// What was repaired is B; it follows what is decided.
  bool isCompared() const;
  void show();
  void compare();
  void saveAndOpen();
  /// Where the repaired model is to be written; empty = nowhere.
  std::filesystem::path askForFolder(const LoadedModel& original);

  Session& m_session;
  WindowViews& m_views;
  RepairView& m_view;
  Comparison& m_comparison;
  std::shared_ptr<Dialogs> m_dialogs;
  Open m_open;
  DialogJob<RepairView> m_job;
  std::shared_ptr<std::atomic<bool>> m_stop;  // true ends what goes on
  SnapshotPtr m_base;                         // what is being repaired
  std::uint64_t m_baseEdit = 0;               // Session::lastEdit() when it began
  WayBack m_way;
  bool m_repeats = false;         // what goes on is kept already
  bool m_writes = false;          // a repaired model
  std::vector<Repaired> m_known;  // the newest last
  DecidedRepairs m_followed;      // the repairs that are shown
};

}  // namespace quantscope
