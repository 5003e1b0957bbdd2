#include "bench/ui/threshold_time.h"

#include <QApplication>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QTreeView>

#include "base/error.h"
#include "bench/ui/frame_times.h"
#include "bench/ui/wait.h"
#include "jobs/analysis/find_faults.h"
#include "widgets/findings/findings_view.h"
#include "widgets/findings/threshold_form.h"

namespace quantscope::bench {
namespace {

constexpr int kChanges = 20;

double shownRatio(const FindingsView& view) {
  return view.snapshot()->request.config.detectors->outlierRatio;
}

/// Notes which threshold the list was painted with last.
class Painted : public QObject {
 public:
  explicit Painted(FindingsView& view) : m_view(view) {
    view.tree().viewport()->installEventFilter(this);
  }
  double ratio() const { return m_view.tree().isVisible() ? m_ratio : shownRatio(m_view); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Paint) m_ratio = shownRatio(m_view);
    return QObject::eventFilter(watched, event);
  }

 private:
  FindingsView& m_view;
  double m_ratio = 0;
};

double timeOfDetectors(const AnalysisSnapshot& snapshot) {
  std::vector<double> times;
  for (int i = 0; i < kChanges; ++i) {
    QElapsedTimer timer;
    timer.start();
    findFaults(snapshot.model, snapshot.request.config, *snapshot.quantized, *snapshot.observations,
               *snapshot.result, DetectorMode::Quantscope);
    times.push_back(millisecondsOf(timer));
  }
  return summarize(std::move(times)).median;
}

}  // namespace

ThresholdTimes measureThresholds(MainWindow& window) {
  auto& view = *window.findChild<FindingsView*>();
  QDoubleSpinBox& field = *view.findChild<ThresholdForm*>()->findChild<QDoubleSpinBox*>();
  Session& session = window.session();
  waitUntil(
      [&] {
        return session.snapshot() &&
               session.snapshot()->stage == AnalysisSnapshot::Stage::Complete && !session.stale() &&
               window.turns().settled();
      },
      "the analysis");
  const Painted painted(view);
  std::vector<double> times;
  for (int i = 0; i < kChanges; ++i) {
    const double value = field.value() + (i % 2 == 0 ? 1 : -1);
    QElapsedTimer timer;
    timer.start();
    field.setValue(value);
    waitUntil([&] { return painted.ratio() == value; }, "the findings");
    times.push_back(millisecondsOf(timer));
  }
  const FrameTimes summary = summarize(std::move(times));
  return {summary.median, summary.longest, timeOfDetectors(*session.snapshot())};
}

}  // namespace quantscope::bench
