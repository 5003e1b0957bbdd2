#pragma once

#include <QtTest>
#include <memory>

#include "app/gui/session.h"

namespace quantscope::test {

/// Knows when a session has the complete result of what it was asked for last, and what a project
/// keeps beside it. What its suggestions would gain may still be missing: each takes another run of
/// the network.
class ResultWatch {
 public:
  explicit ResultWatch(Session& session) : m_session(session) {
    AnalysisController& controller = session.controller();
    QObject::connect(&controller, &AnalysisController::started, &controller,
                     [complete = m_complete] { *complete = false; });
    QObject::connect(&controller, &AnalysisController::snapshotChanged, &controller,
                     [complete = m_complete, &controller] {
                       const SnapshotPtr& snapshot = controller.snapshot();
                       *complete = snapshot && snapshot->stage == AnalysisSnapshot::Stage::Complete;
                     });
  }

  /// Waits for it, or for the job to end without one, and stops what is then still running.
  void wait() const {
    AnalysisController& controller = m_session.controller();
    const auto isThere = [&] {
      return *m_complete && !m_session.stale() && !controller.resuming();
    };
    QTRY_VERIFY_WITH_TIMEOUT(!controller.running() || isThere(), 120000);
    controller.cancel();
    waitForGains();
  }

  /// Waits for the end of the job.
  void waitForGains() const { QTRY_VERIFY_WITH_TIMEOUT(!m_session.controller().running(), 120000); }

 private:
  Session& m_session;
  std::shared_ptr<bool> m_complete = std::make_shared<bool>(false);
};

}  // namespace quantscope::test
