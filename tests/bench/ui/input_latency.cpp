#include "bench/ui/input_latency.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>
#include <utility>

namespace quantscope::bench {

FrameTimes measureInputLatency(MainWindow& window, const AnalysisRequest& request) {
  constexpr unsigned long kPauseMs = 1;
  constexpr qint64 kLongestMs = 20'000;  // in large networks gains take minutes
  window.session().open(request);
  QApplication::processEvents();
  std::vector<double> turns{0};
  QElapsedTimer all;
  all.start();
  while (window.session().controller().running() && all.elapsed() < kLongestMs) {
    QElapsedTimer turn;
    turn.start();
    QApplication::processEvents();
    turns.push_back(static_cast<double>(turn.nsecsElapsed()) / 1e6);
    QThread::msleep(kPauseMs);
  }
  return summarize(std::move(turns));
}

}  // namespace quantscope::bench
