#pragma once

#include <QObject>

#include "idle_probe.h"
#include "jobs/analysis/config_gains.h"
#include "range_foresight.h"

namespace quantscope {

class WindowViews;

/// Has the other types of the selected layers and of their operator, and the overrides of the
/// configuration tried while the machine is idle, and shows what they gain. While no layer is
/// selected the types of the worst ones are, so that their gains are there at once.
class GainsController : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  GainsController(Session& session, WindowViews& views, QObject* parent);

 private:
  using Take = std::function<void(const ConfigGains&)>;
  IdleProbe::Work trying(const SnapshotPtr& shown, const PrecisionEditor::Candidates& candidates,
                         const Take& take) const;
  PrecisionEditor::Candidates overridesToTry() const;
  IdleProbe::Work tryingWorst(const SnapshotPtr& shown) const;

  Session& m_session;
  WindowViews& m_views;
  RangeForesight m_foresight;
  IdleProbe m_types;
  IdleProbe m_operatorTypes;
  IdleProbe m_overrides;
  IdleProbe m_worst;
};

}  // namespace quantscope
