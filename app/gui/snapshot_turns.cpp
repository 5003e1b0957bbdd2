#include "snapshot_turns.h"

#include <QThreadPool>

namespace quantscope {
namespace {

bool sameGraph(const SnapshotPtr& a, const SnapshotPtr& b) {
  return a && b && a->model.graph == b->model.graph;
}

}  // namespace

SnapshotTurns::SnapshotTurns(QObject* parent) : QObject(parent) {
  m_turn.setInterval(0);
  connect(&m_turn, &QTimer::timeout, this, &SnapshotTurns::next);
}

void SnapshotTurns::show(const SnapshotPtr& snapshot) {
  m_old.push_back(std::exchange(m_snapshot, snapshot));
  m_waiting.clear();
  for (SnapshotView* view : m_views) {
    if (view->canBeSeen() && sameGraph(view->snapshot(), snapshot)) {
      m_waiting.push_back(view);
    } else {
      view->setSnapshot(snapshot);
    }
  }
  m_turn.start();
}

void SnapshotTurns::next() {
  if (m_waiting.empty()) {
    m_turn.stop();
    // To free what thousands of layers held takes longer than a frame.
    QThreadPool::globalInstance()->start(
        [old = std::exchange(m_old, {})]() mutable { old.clear(); });
    return;
  }
  SnapshotView* view = m_waiting.front();
  m_waiting.pop_front();
  view->setSnapshot(m_snapshot);
}

}  // namespace quantscope
