#pragma once

#include <QObject>

#include "idle_probe.h"
#include "widgets/view/known_fitting_gains.h"

namespace quantscope {

class AdviceController;
class FindingsView;

/// Has measured, while the machine is idle and nothing is left to advise, what the repairs that act
/// on the chosen finding win.
class FittingController : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  FittingController(Session& session, FindingsView& findings, const AdviceController& advice,
                    QObject* parent);

 private:
  IdleProbe::Work prepare(const SnapshotPtr& shown);
  void take(const SnapshotPtr& of, const FittingGain& gain);

  Session& m_session;
  FindingsView& m_findings;
  const AdviceController& m_advice;
  KnownFittingGainsPtr m_known;
  IdleProbe m_probe;
};

}  // namespace quantscope
