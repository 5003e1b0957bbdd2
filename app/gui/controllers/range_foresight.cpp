#include "range_foresight.h"

#include <atomic>
#include <utility>

#include "jobs/analysis/config_gains.h"
#include "widgets/inspector/inspector_view.h"

namespace quantscope {
namespace {

// A frame or two: the next place is measured before the hand has rested.
constexpr int kPaceMs = 30;

}  // namespace

RangeForesight::RangeForesight(Session& session, InspectorView& inspector)
    : m_session(session), m_inspector(inspector), m_queue(session.queue()) {
  static std::atomic<int> foresights{0};
  m_tag.name = "dragged range " + std::to_string(++foresights);
  m_pace.setSingleShot(true);
  m_pace.setInterval(kPaceMs);
  connect(&m_pace, &QTimer::timeout, this, &RangeForesight::measure);
  connect(&inspector, &InspectorView::foreseeRequested, this, [this](const Configuration& config) {
    m_wanted = config;
    ++m_asked;
    if (!m_pace.isActive()) m_pace.start();
  });
  connect(&session.controller(), &AnalysisController::started, this, [this] {
    ++m_asked;
    m_wanted.reset();
    m_queue->cancel(m_tag);
  });
}

RangeForesight::~RangeForesight() {
  m_queue->stop(m_tag);
}

void RangeForesight::measure() {
  const SnapshotPtr& shown = m_session.snapshot();
  if (!m_session.settled() || !m_wanted) return;
  const auto work = [this, shown, config = *std::exchange(m_wanted, std::nullopt), asked = m_asked,
                     &memory = m_queue->memory()](JobContext& job) {
    measureConfigGains(*shown, {config}, memory, job, [&](const ConfigGains& gains) {
      if (!gains.front()) return;
      QMetaObject::invokeMethod(this, [this, asked, gain = *gains.front()] {
        if (asked == m_asked) m_inspector.setForeseen(gain);
      });
    });
  };
  m_queue->start(m_tag, {.work = work});
}

}  // namespace quantscope
