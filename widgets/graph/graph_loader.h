#pragma once

#include <QFont>
#include <QObject>

#include "widgets/background/newest_work.h"
#include "widgets/graph/drawing/graph_scene.h"

namespace quantscope {

/// Lays graphs out in the background; the newest request wins. A layout cannot be stopped half-way:
/// the next one begins when it is done.
class GraphLoader : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// `byDefault`: which scopes are collapsed is chosen by the model, and found in the scene.
  void load(const SnapshotPtr& snapshot, const DrawingOptions& options, bool byDefault,
            const QFont& font);
  /// Nothing is wanted any more.
  void cancel();
  bool busy() const { return m_work.busy(); }
  /// The newest request was of this model.
  bool isOfGraph(const AnalysisSnapshot& snapshot) const;
  /// The newest request serves this snapshot too. Layouts depend on which layers there are, and on
  /// no figure: another configuration may fuse other patterns.
  bool isOfLayers(const AnalysisSnapshot& snapshot) const;
  /// Requests so far.
  int requests() const { return m_requests; }

 Q_SIGNALS:
  void ready(const quantscope::GraphScenePtr& scene);
  void failed(const QString& sentence);

 private:
  SnapshotPtr m_snapshot;                                 // of the newest request
  mutable std::shared_ptr<const AnalysisResult> m_alike;  // another one with the same layers
  int m_requests = 0;
  NewestWork m_work;
};

}  // namespace quantscope
