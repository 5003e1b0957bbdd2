#pragma once

#include <QAbstractEventDispatcher>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>
#include <cmath>
#include <exception>
#include <optional>

#include "app/gui/window/main_window.h"
#include "base/error.h"
#include "bench/ui/measured_application.h"

namespace quantscope::bench {

inline constexpr int kLongestWaitMs = 120'000;
inline constexpr int kTickMs = 5;

inline double millisecondsOf(const QElapsedTimer& timer) {
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

/// Lets the window work, and wait for events as it does, until something is reached and painted;
/// returns the longest that it was busy with itself at a time, in milliseconds. Throws what
/// `reached` throws, and Error where it does not come about in two minutes.
template <class Reached>
double waitUntil(Reached reached, const char* what) {
  QElapsedTimer timer;
  timer.start();
  QEventLoop loop;
  std::exception_ptr failure;
  const auto look = [&] {
    try {
      if (reached()) return loop.quit();
      if (millisecondsOf(timer) < kLongestWaitMs) return;
      throw Error(ErrorCode::InsufficientData,
                  std::string(what) + " did not come within two minutes", {}, "try fewer samples");
    } catch (...) {
      failure = std::current_exception();
      loop.quit();
    }
  };
  MeasuredApplication::instance().takeLongestBusy();
  QObject::connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::aboutToBlock,
                   &loop, look);
  QObject::connect(&MeasuredApplication::instance(), &MeasuredApplication::painted, &loop, look);
  // What does not come with an event of the window's is seen soon, too.
  QTimer tick;
  tick.start(kTickMs);
  loop.exec();
  if (failure) std::rethrow_exception(failure);
  return MeasuredApplication::instance().takeLongestBusy();
}

/// Lets the window do what it does for so long.
inline void letWork(double milliseconds) {
  QEventLoop loop;
  QTimer::singleShot(static_cast<int>(std::ceil(milliseconds)), Qt::PreciseTimer, &loop,
                     &QEventLoop::quit);
  loop.exec();
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
