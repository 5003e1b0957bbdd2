#pragma once

#include <QObject>

#include "idle_probe.h"

namespace quantscope {

class HeatmapView;

/// Has the error of the selected layer measured by channel, sample and place, where the heatmap is
/// to show it.
class MapsController : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  MapsController(Session& session, HeatmapView& view, QObject* parent);

 private:
  IdleProbe::Work prepare(const SnapshotPtr& shown);

  Session& m_session;
  HeatmapView& m_view;
  IdleProbe m_probe;
};

}  // namespace quantscope
