#include "snapshot_turns.h"

#include <QElapsedTimer>
#include <algorithm>

namespace quantscope {
namespace {

// Views that are quick share a turn, so that all of them are painted at once.
constexpr int kTurnMs = 8;
// From so many nodes on, views take turns with another model, too.
constexpr std::size_t kLargeGraph = 20'000;

bool isLarge(const SnapshotPtr& snapshot) {
  return snapshot && snapshot->model.graph && snapshot->model.graph->nodes().size() >= kLargeGraph;
}

bool sameGraph(const SnapshotPtr& a, const SnapshotPtr& b) {
  return a && b && a->model.graph == b->model.graph;
}

}  // namespace

SnapshotTurns::SnapshotTurns(QObject* parent) : QObject(parent) {
  m_turn.setInterval(0);
  connect(&m_turn, &QTimer::timeout, this, &SnapshotTurns::next);
}

void SnapshotTurns::show(const SnapshotPtr& snapshot) {
  m_snapshot = snapshot;
  // Waiting views go first: so all views see some of the snapshots that come quickly.
  std::vector<SnapshotView*> order(m_waiting.begin(), m_waiting.end());
  std::ranges::copy_if(m_views, std::back_inserter(order), [this](SnapshotView* view) {
    return std::ranges::find(m_waiting, view) == m_waiting.end();
  });
  m_waiting.clear();
  for (SnapshotView* view : order) {
    const bool same = sameGraph(view->snapshot(), snapshot);
    if (!view->canBeSeen() || (!same && !isLarge(snapshot))) {
      view->setSnapshot(snapshot);
      continue;
    }
    if (!same && view->snapshot()) view->setSnapshot(nullptr);
    m_waiting.push_back(view);
  }
  m_turn.start();
}

void SnapshotTurns::next() {
  if (m_waiting.empty()) {
    m_turn.stop();
    return;
  }
  QElapsedTimer turn;
  turn.start();
  while (!m_waiting.empty() && turn.elapsed() < kTurnMs) {
    SnapshotView* view = m_waiting.front();
    m_waiting.pop_front();
    view->setSnapshot(m_snapshot);
  }
}

}  // namespace quantscope
