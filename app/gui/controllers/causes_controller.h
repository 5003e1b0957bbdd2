#pragma once

#include <QObject>

#include "idle_probe.h"
#include "widgets/view/error_causes.h"

namespace quantscope {

class WindowViews;

/// Has the causes of errors measured while the machine is idle: the budget of the selected layer,
/// then what weights and activations do to the outputs apart.
class CausesController : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  CausesController(Session& session, WindowViews& views, QObject* parent);

  /// The causes of the shown result; null before anything is known.
  ErrorCausesPtr causes() const;

 Q_SIGNALS:
  void changed();

 private:
  IdleProbe::Work prepare(const SnapshotPtr& shown);
  /// The selected layer, where its budget is not known yet.
  std::optional<std::size_t> missingLayer(const AnalysisSnapshot& shown) const;
  void take(const SnapshotPtr& of, std::size_t layer, const std::optional<ErrorBudget>& budget);
  void take(const SnapshotPtr& of, const std::vector<LadderStep>& ladder);
  ErrorCauses causesOf(const SnapshotPtr& snapshot) const;
  void publish(ErrorCauses causes);

  Session& m_session;
  WindowViews& m_views;
  ErrorCausesPtr m_causes;
  IdleProbe m_probe;
};

}  // namespace quantscope
