#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>
#include <algorithm>
#include <optional>

#include "app/gui/main_window.h"
#include "base/error.h"

namespace quantscope::bench {

inline constexpr int kLongestWaitMs = 120'000;
inline constexpr unsigned long kPauseUs = 200;

inline double millisecondsOf(const QElapsedTimer& timer) {
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

/// Lets the window work until something is reached; returns the longest that it was busy with
/// itself at a time, in milliseconds. Throws Error where it does not come about in two minutes.
template <class Reached>
double waitUntil(Reached reached, const char* what) {
  QElapsedTimer timer;
  timer.start();
  double longest = 0;
  while (!reached()) {
    if (millisecondsOf(timer) > kLongestWaitMs) {
      throw Error(ErrorCode::InsufficientData,
                  std::string(what) + " did not come within two minutes", {}, "try fewer samples");
    }
    QElapsedTimer turn;
    turn.start();
    QApplication::processEvents(QEventLoop::AllEvents, 1);
    longest = std::max(longest, millisecondsOf(turn));
    // A window that waits leaves its processor to the work that it waits for.
    QThread::usleep(kPauseUs);
  }
  return longest;
}

/// Waits until the complete result is on screen, and for what suggestions gain. That may take
/// minutes in a large network: then it is stopped. Throws the Error that the analysis ended with.
inline void waitForAnalysis(MainWindow& window) {
  constexpr double kLongestForGainsMs = 10'000;
  Session& session = window.session();
  std::optional<Error> failure;
  const QObject watcher;
  QObject::connect(&session.controller(), &AnalysisController::failed, &watcher,
                   [&failure](const Error& error) { failure = error; });
  waitUntil(
      [&] {
        if (failure) throw *failure;
        const SnapshotPtr& shown = session.snapshot();
        return shown && shown->stage == AnalysisSnapshot::Stage::Complete && !session.stale() &&
               window.turns().settled();
      },
      "the analysis");
  QElapsedTimer timer;
  timer.start();
  waitUntil(
      [&] {
        if (millisecondsOf(timer) > kLongestForGainsMs) session.controller().cancel();
        return !session.controller().running();
      },
      "the end of the analysis");
}

}  // namespace quantscope::bench
