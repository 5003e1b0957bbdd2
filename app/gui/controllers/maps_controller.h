#pragma once

#include <QObject>

#include "idle_probe.h"

namespace quantscope {

class Comparison;
class HeatmapView;

/// Has the error of the selected layer measured by channel, sample and place, where the heatmap is
/// to show it.
class MapsController : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  MapsController(Session& session, const Comparison& comparison, HeatmapView& view,
                 QObject* parent);

 private:
  IdleProbe::Work prepare(const SnapshotPtr& shown);

  Session& m_session;
  const Comparison& m_comparison;
  HeatmapView& m_view;
  IdleProbe m_probe;
};

}  // namespace quantscope
