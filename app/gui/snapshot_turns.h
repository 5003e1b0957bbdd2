#pragma once

#include <QTimer>
#include <deque>
#include <vector>

#include "widgets/view/snapshot_view.h"

namespace quantscope {

/// Passes each new snapshot to the views of a window. Visible views take it one after the
/// other, as many in a turn of the event loop as are quick, so that input never waits for all
/// of them. Another model reaches all at once, because its selection means nothing in the
/// previous one; if it is so large that this would take long, all let go of the previous one
/// at once instead.
class SnapshotTurns : public QObject {
  Q_OBJECT

 public:
  explicit SnapshotTurns(QObject* parent = nullptr);

  /// Views take their turns in the order in which they were added.
  void add(SnapshotView* view) { m_views.push_back(view); }
  const std::vector<SnapshotView*>& views() const { return m_views; }
  void show(const SnapshotPtr& snapshot);
  /// All views have the newest snapshot.
  bool settled() const { return m_waiting.empty(); }

 private:
  void next();

  std::vector<SnapshotView*> m_views;
  std::deque<SnapshotView*> m_waiting;
  SnapshotPtr m_snapshot;
  QTimer m_turn;
};

}  // namespace quantscope
