#include "idle_probe.h"

#include <atomic>
#include <utility>

#include "app/gui/window/error_message.h"

namespace quantscope {
namespace {

constexpr int kIdleMs = 250;

}  // namespace

IdleProbe::IdleProbe(Session& session, const char* what, Prepare prepare, QObject* parent)
    : QObject(parent), m_session(session), m_queue(session.queue()), m_prepare(std::move(prepare)) {
  static std::atomic<int> probes{0};
  m_tag.name = "probe " + std::to_string(++probes) + ": " + what;
  m_idle.setSingleShot(true);
  m_idle.setInterval(kIdleMs);
  connect(&m_idle, &QTimer::timeout, this, &IdleProbe::start);
  connect(&session.controller(), &AnalysisController::started, this, &IdleProbe::restart);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, [this] {
    if (!m_queue->busy(m_tag)) m_idle.start();
  });
}

IdleProbe::~IdleProbe() {
  m_queue->stop(m_tag);
}

void IdleProbe::restart() {
  ++m_asked;
  m_queue->cancel(m_tag);
  m_idle.start();
}

void IdleProbe::start() {
  const SnapshotPtr& shown = m_session.snapshot();
  if (!m_session.settled()) return;
  const Work work = m_prepare(shown);
  if (!work) return;
  const Tell tell = [this, asked = m_asked](std::function<void()> action) {
    QMetaObject::invokeMethod(this, [this, asked, action = std::move(action)] {
      if (asked == m_asked) action();
    });
  };
  JobQueue::Job job{.work = [work, tell](JobContext& context) { work(context, tell); }};
  if (m_progress) {
    job.progress = [this, tell](const Progress& progress) {
      tell([this, progress] { m_progress(progress); });
    };
  }
  if (m_failed) {
    job.ended = [this, tell](const std::exception_ptr& failure) {
      if (!failure || isCancelled(failure)) return;
      tell([this, failure] { m_failed(failureWords(failure).replace(u'\n', u' ')); });
    };
  }
  m_queue->start(m_tag, std::move(job));
}

}  // namespace quantscope
