#include "advice_controller.h"

#include <QTimer>
#include <algorithm>
#include <utility>

#include "app/gui/window/window_views.h"
#include "base/error.h"
#include "widgets/findings/findings_view.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/look/text.h"
#include "widgets/words/progress_words.h"

namespace quantscope {
namespace {

constexpr auto kWaiting = "advice: waiting";
constexpr auto kOutcome = "advice";
// Configurations whose advice is kept, so that an undo has it at once.
constexpr std::size_t kMostAdvices = 8;

QString topic(const char* name) {
  return QString::fromLatin1(name);
}

}  // namespace

AdviceController::AdviceController(Session& session, WindowViews& views, MessageBar& messages,
                                   QObject* parent)
    : QObject(parent),
      m_session(session),
      m_views(views),
      m_messages(messages),
      m_next(session, "best next change",
             [this](const SnapshotPtr& shown) { return prepareNext(shown); }),
      m_all(session, "advice", [this](const SnapshotPtr& shown) { return prepareAll(shown); }) {
  for (IdleProbe* probe : {&m_next, &m_all}) {
    connect(&session, &Session::dismissedChanged, probe, &IdleProbe::restart);
    // Views of the current selection or drag come first.
    connect(&session.selection(), &Selection::changed, probe, &IdleProbe::restart);
    connect(&views.inspector(), &InspectorView::foreseeRequested, probe, &IdleProbe::restart);
  }
  m_all.setProgressSink(
      [this](const Progress& now) { m_messages.setHint(topic(kWaiting), progressWords(now)); });
  m_next.setProgressSink([this](const Progress& now) {
    m_views.inspector().setAdviceProgress(progressWords(now));
    m_messages.setHint(topic(kWaiting), progressWords(now));
  });
  // The gains of single suggestions are known only after the analysis.
  connect(&session.controller(), &AnalysisController::finished, &m_all, &IdleProbe::restart);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, [this] {
    const KnownAdvicePtr known = advice();
    m_views.findings().setAdvice(known);
    if (known) m_views.inspector().setAdvice(known);
    Q_EMIT changed();
  });
  connect(&session, &Session::requestChanged, this, [this] {
    stopWaiting();
    m_views.inspector().setAdviceProgress({});
    if (m_stopped) startSearch();
  });
  connect(&views.inspector(), &InspectorView::adviceStopRequested, this,
          &AdviceController::stopSearch);
  connect(&views.inspector(), &InspectorView::adviceStartRequested, this,
          &AdviceController::startSearch);
  connect(&views.inspector(), &InspectorView::nextChangeRequested, this,
          &AdviceController::takeNext);
}

KnownAdvicePtr AdviceController::advice() const {
  const SnapshotPtr& shown = m_session.snapshot();
  if (!shown || m_session.stale()) return nullptr;
  const auto known = std::ranges::find_if(m_known, [&](const KnownAdvicePtr& each) {
    return each->isAbout(*shown) && each->aside == m_session.dismissed();
  });
  return known == m_known.end() ? nullptr : *known;
}

bool AdviceController::hasNext() const {
  const KnownAdvicePtr known = advice();
  return known && known->next;
}

void AdviceController::takeNext() {
  const KnownAdvicePtr known = advice();
  if (known && known->next) m_session.apply(known->next->edit);
}

bool AdviceController::canTakeAll() const {
  const SnapshotPtr& shown = m_session.snapshot();
  if (!shown || !shown->detected || m_waiting || m_session.controller().running()) return false;
  const KnownAdvicePtr known = advice();
  return !known || !known->all || !known->all->changes.empty();
}

void AdviceController::takeAll() {
  if (!canTakeAll()) return;
  m_waiting = true;
  if (m_stopped) startSearch();
  applyAll();
  if (m_waiting) tellWaiting();
  Q_EMIT changed();
}

void AdviceController::applyAll() {
  const KnownAdvicePtr known = advice();
  if (!m_waiting || !known || !known->all) return;
  if (known->all->changes.empty()) return endWaiting(Outcome::Nothing);
  endWaiting(Outcome::Changed);
  m_session.setConfig(known->all->config, tr("apply what helps"));
}

IdleProbe::Work AdviceController::prepareNext(const SnapshotPtr& shown) {
  if (m_stopped || advice() || !shown->detected) return nullptr;
  return guarded(
      [this, shown, aside = m_session.dismissed(), &memory = m_session.queue()->memory()](
          JobContext& job, const IdleProbe::Tell& tell) {
        auto known = std::make_shared<KnownAdvice>();
        known->data = shown->data;
        known->config = shown->request.config;
        known->aside = aside;
        known->next = bestNextChange(*shown, memory, job, aside);
        tell([this, known] {
          publish(known);
          m_all.restart();
        });
      });
}

IdleProbe::Work AdviceController::prepareAll(const SnapshotPtr& shown) {
  const KnownAdvicePtr known = advice();
  if (!known || known->all || m_session.controller().running()) return nullptr;
  return guarded([this, shown, known, &memory = m_session.queue()->memory()](
                     JobContext& job, const IdleProbe::Tell& tell) {
    auto more = std::make_shared<KnownAdvice>(*known);
    more->all = advise(*shown, memory, job, known->aside);
    tell([this, more] {
      publish(more);
      applyAll();
    });
  });
}

// If the user waits for this work, its failure is reported.
IdleProbe::Work AdviceController::guarded(IdleProbe::Work work) {
  return [this, work = std::move(work)](JobContext& job, const IdleProbe::Tell& tell) {
    try {
      work(job, tell);
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      tell([this, why = QString::fromUtf8(error.what())] {
        if (!m_waiting) return;
        endWaiting(Outcome::Failed);
        m_messages.tell({.severity = Message::Severity::Error,
                         .sentence = tr("What helps could not be measured: %1.").arg(why),
                         .hint = tr("The configuration is as it was."),
                         .topic = topic(kOutcome)});
      });
    }
  };
}

void AdviceController::setStopped(bool stopped) {
  m_stopped = stopped;
  m_views.inspector().setAdviceProgress({});
  m_views.inspector().setAdviceStopped(stopped);
  m_next.restart();
}

void AdviceController::publish(KnownAdvicePtr advice) {
  std::erase_if(m_known, [&](const KnownAdvicePtr& each) { return each->asksTheSame(*advice); });
  m_known.push_front(std::move(advice));
  if (m_known.size() > kMostAdvices) m_known.pop_back();
  m_views.inspector().setAdvice(m_known.front());
  m_views.findings().setAdvice(m_known.front());
  Q_EMIT changed();
}

void AdviceController::endWaiting(Outcome outcome) {
  if (!m_waiting) return;
  m_waiting = false;
  m_messages.dismiss(topic(kWaiting));
  Q_EMIT changed();
  Q_EMIT allTaken(outcome);
  if (outcome != Outcome::Nothing) return;
  m_messages.tell({.severity = Message::Severity::Info,
                   .sentence = tr("Nothing was found that helps within a quarter more bytes and a "
                                  "quarter of the work above 8 bits."),
                   .topic = topic(kOutcome),
                   .passing = true});
}

// Only where it takes long.
void AdviceController::tellWaiting() {
  constexpr int kPatienceMs = 500;
  QTimer::singleShot(kPatienceMs, this, [this] {
    if (!m_waiting) return;
    m_messages.tell({.sentence = tr("Trying which changes help together…"),
                     .remedies = {{tr("Cancel"), [this] { stopWaiting(); }}},
                     .topic = topic(kWaiting)});
  });
}

}  // namespace quantscope
