#pragma once

#include <QObject>
#include <QUndoStack>
#include <cstdint>
#include <set>
#include <string>

#include "app/gui/controllers/analysis_controller.h"
#include "detectors/findings/finding.h"
#include "project/document.h"
#include "widgets/view/display_options.h"
#include "widgets/view/precision_editor.h"
#include "widgets/view/selection.h"

namespace quantscope {

/// The work of one window: a model with its data and configuration, its analysis, the selection and
/// the display options. Uses no widget.
class Session : public QObject {
  Q_OBJECT

 public:
  /// The part of kept work that can be shown.
  enum class Resumed {
    All,
    Structure,  ///< its data is not there
    Nothing,    ///< its model is not there
  };

  /// Jobs of all windows of a process belong into one queue.
  explicit Session(std::shared_ptr<JobQueue> queue = std::make_shared<JobQueue>(),
                   QObject* parent = nullptr);

  const AnalysisRequest& request() const { return m_request; }
  bool hasModel() const { return !m_request.model.empty(); }
  const SnapshotPtr& snapshot() const { return m_controller.snapshot(); }
  /// True if the shown result does not belong to the current request.
  bool stale() const;
  /// True if it is the complete result of the current request.
  bool settled() const;

  /// Opens a model, and analyses it where the request names data.
  void open(const AnalysisRequest& request);
  /// Takes up work that a project keeps, with its history; shows the results that it keeps.
  void resume(const Document& document, const std::shared_ptr<const ProjectFile>& project,
              Resumed what);
  void closeModel();
  /// Other samples for the open model; a step that can be undone, but for the first ones.
  void setData(const AnalysisRequest& request);
  /// The edits of it all, which the undo stack shows.
  const Document& document() const { return m_document; }
  /// Records the content of the work's files, which are those of the request.
  void setFiles(const DocumentFiles& files);
  /// Changes the configuration, as a step that can be undone; the edit's sentence completes
  /// "Undo …". Throws InvalidConfiguration, and changes nothing, where sharing by hand contradicts
  /// itself or the backend.
  void apply(const ConfigEdit& edit);
  /// The same with another configuration as a whole.
  void setConfig(const Configuration& config, const QString& what);
  /// The same with the changes that findings suggest.
  void applyChanges(const std::vector<ConfigChange>& changes, const QString& what);
  /// Other thresholds of the detectors, likewise.
  void setThresholds(const DetectorThresholds& thresholds, const QString& what);
  /// Dismissed findings, by their identity.
  const std::set<std::string>& dismissed() const { return m_document.dismissed(); }
  /// Puts a finding aside or brings it back, as a step that can be undone.
  void setDismissed(const std::string& finding, bool dismissed);
  /// The project keeps them, as a step that can be undone: "drop the repair equalize".
  void decideRepairs(const DecidedRepairs& repairs, const QString& what);
  /// The same of repairs that began when the edit `last` was the last one: as a step right after
  /// it, in front of what was edited meanwhile. At the end where that edit is gone.
  void decideRepairs(const DecidedRepairs& repairs, const QString& what, std::uint64_t last);
  /// The serial of the last edit that is done; 0 = there is none. See Document::serials().
  std::uint64_t lastEdit() const;
  /// The checkpoint of a training, which is no step.
  void keepCheckpoint(const StoppedTraining& checkpoint);
  /// Keeps the configuration under a name, to compare with, as a step that can be undone; one of
  /// that name gives way.
  void keepConfiguration(const QString& name);
  /// The same, and another one is shown instead, as one step.
  void keepConfigurationFor(const Configuration& next, const QString& name, const QString& what);
  /// Change kept configurations, likewise as steps that can be undone. Nothing happens if there is
  /// no such name, or if the new one is taken.
  void renameConfiguration(const QString& name, const QString& newName);
  void copyConfiguration(const QString& name, const QString& newName);
  void forgetConfiguration(const QString& name);
  /// Runs the analysis again, the model read anew.
  void restart();
  /// After a failure: asks again for the model and data that are still shown, without running.
  void keepWhatIsShown();

  /// The queue that all windows share.
  const std::shared_ptr<JobQueue>& queue() const { return m_queue; }
  AnalysisController& controller() { return m_controller; }
  Selection& selection() { return m_selection; }
  /// Changes the precision of the selection.
  PrecisionEditor& precision() { return m_precision; }
  DisplayOptions& options() { return m_options; }
  QUndoStack& undoStack() { return m_undoStack; }

 Q_SIGNALS:
  /// The work is about to give way to another, or to none.
  void documentEnding();
  /// Anything of document() is different.
  void documentChanged();
  /// The model, its data or the configuration that is asked for.
  void requestChanged();
  void dismissedChanged();
  /// The configurations that are kept under a name.
  void namedChanged();

 private:
  class JournalCommand;
  void startDocument();
  void beginWork(const AnalysisRequest& request);
  void showHistory();
  void noteFiles();
  void noteNames(const QString& what, const Naming::Names& after, const ConfigEdit& change = {});
  void followRequest();
  void leaveFailedData();
  bool note(const Document::Edit& edit);
  void insert(const Document::Edit& edit, std::size_t place);
  void requireSharing(const ConfigEdit& edit) const;
  void showDocument();

  std::shared_ptr<JobQueue> m_queue;
  AnalysisRequest m_request;
  Document m_document;
  std::set<std::string> m_shownDismissed;
  std::map<std::string, Configuration> m_shownNames;
  AnalysisController m_controller;
  Selection m_selection;
  PrecisionEditor m_precision{&m_selection};
  DisplayOptions m_options;
  QUndoStack m_undoStack;
  bool m_takingUp = false;  // while the stack learns a journal
  bool m_dropping = false;  // while it unlearns its last edit
};

}  // namespace quantscope
