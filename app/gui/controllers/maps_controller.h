#pragma once

#include <QObject>

#include "idle_probe.h"
#include "widgets/view/layer_maps.h"

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
  void fail(const QString& words);

  Session& m_session;
  const Comparison& m_comparison;
  HeatmapView& m_view;
  LayerMaps m_wanted;  // what was asked for last; without figures
  IdleProbe m_probe;
};

}  // namespace quantscope
