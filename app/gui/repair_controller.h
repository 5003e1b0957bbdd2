#pragma once

#include <QObject>
#include <functional>

#include "dialog_job.h"
#include "dialogs.h"
#include "session.h"
#include "widgets/repair/repair_dialog.h"

namespace quantscope {

/// Repairs the model that is shown, in the background, and opens what came of it.
class RepairController : public QObject {
  Q_OBJECT

 public:
  /// Opens a model of its own with these settings in another window, and says `note` there.
  using Open = std::function<void(const AnalysisRequest&, const QString& note)>;

  /// The session outlives it.
  RepairController(Session& session, std::shared_ptr<Dialogs> dialogs, Open open, QWidget* window);

  /// There is a complete result of the configuration that is asked for.
  bool canRepair() const;
  /// Asks for the steps to try; `steps` are preselected, or all if it is empty.
  void open(const std::vector<std::string>& steps = {});
  /// The selected layers that can be repaired by themselves.
  bool canRepairSelected() const { return canRepair() && !selectedLayers().empty(); }
  /// The same for these alone.
  void openSelected();

 private:
  /// Named by the nodes that lead them.
  std::vector<std::string> selectedLayers() const;
  void run(const RepairRequest& request, const std::shared_ptr<TrainingRun>& training);
  void saveAndOpen();

  Session& m_session;
  std::shared_ptr<Dialogs> m_dialogs;
  Open m_open;
  QWidget* m_window;
  DialogJob<RepairDialog> m_job;
  SnapshotPtr m_shown;  // subject of the dialog
  std::shared_ptr<const RepairResult> m_result;
};

}  // namespace quantscope
