#pragma once

#include <deque>
#include <mutex>
#include <utility>

#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// The snapshots that a job has published and the window's thread has not seen yet, in their order.
/// Of complete results that follow each other at once only the last one is kept: if the gains of
/// suggestions were measured before, dozens come at once. May be used from any thread.
class UnseenSnapshots {
 public:
  /// False where the window's thread was told already that there is something to take.
  bool put(SnapshotPtr snapshot) {
    const std::lock_guard lock(m_mutex);
    const bool replaces =
        !m_snapshots.empty() && isComplete(*m_snapshots.back()) && isComplete(*snapshot);
    if (replaces) m_snapshots.pop_back();
    m_snapshots.push_back(std::move(snapshot));
    return !replaces;
  }
  /// The oldest one; there must be one.
  SnapshotPtr take() {
    const std::lock_guard lock(m_mutex);
    SnapshotPtr snapshot = std::move(m_snapshots.front());
    m_snapshots.pop_front();
    return snapshot;
  }

 private:
  static bool isComplete(const AnalysisSnapshot& snapshot) {
    return snapshot.stage == AnalysisSnapshot::Stage::Complete;
  }

  std::mutex m_mutex;
  std::deque<SnapshotPtr> m_snapshots;
};

}  // namespace quantscope
