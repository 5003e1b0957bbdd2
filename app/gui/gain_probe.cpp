#include "gain_probe.h"

#include <atomic>
#include <utility>

namespace quantscope {
namespace {

constexpr int kIdleMs = 250;

}  // namespace

GainProbe::GainProbe(Session& session, const char* what, Ask ask, Take take, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_queue(session.queue()),
      m_ask(std::move(ask)),
      m_take(std::move(take)) {
  static std::atomic<int> probes{0};
  m_tag.name = "probe " + std::to_string(++probes) + ": " + what;
  m_idle.setSingleShot(true);
  m_idle.setInterval(kIdleMs);
  connect(&m_idle, &QTimer::timeout, this, &GainProbe::start);
  connect(&session.controller(), &AnalysisController::started, this, &GainProbe::restart);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, [this] {
    if (!m_session.queue()->busy(m_tag)) m_idle.start();
  });
}

GainProbe::~GainProbe() {
  m_queue->stop(m_tag);
}

void GainProbe::restart() {
  ++m_asked;
  m_session.queue()->cancel(m_tag);
  m_idle.start();
}

void GainProbe::start() {
  const SnapshotPtr& shown = m_session.snapshot();
  const bool settled =
      shown && shown->stage == AnalysisSnapshot::Stage::Complete && !m_session.stale();
  if (!settled) return;
  const std::vector<Configuration> configs = m_ask();
  if (configs.empty()) return;
  const auto work = [this, shown, configs, asked = m_asked,
                     &memory = m_session.queue()->memory()](JobContext& job) {
    measureConfigGains(*shown, configs, memory, job, [&](const ConfigGains& gains) {
      QMetaObject::invokeMethod(this, [this, asked, gains] {
        if (asked == m_asked) m_take(gains);
      });
    });
  };
  m_session.queue()->start(m_tag, {.work = work});
}

}  // namespace quantscope
