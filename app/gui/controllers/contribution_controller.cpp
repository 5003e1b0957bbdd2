#include "contribution_controller.h"

#include <algorithm>
#include <utility>

#include "app/gui/comparison.h"
#include "jobs/analysis/explain_errors.h"

namespace quantscope {
namespace {

constexpr int kUntilToldMs = 500;

QString topic() {
  return QStringLiteral("contributions");
}

}  // namespace

ContributionController::ContributionController(Session& session, Comparison& comparison,
                                               MessageBar& messages, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_comparison(comparison),
      m_messages(messages),
      m_probe(session, "contributions",
              [this](const SnapshotPtr& shown) { return prepare(shown); }) {
  connect(&session.options(), &DisplayOptions::changed, &m_probe, &IdleProbe::restart);
  connect(&comparison, &Comparison::changed, this, &ContributionController::followOther);
  // Until then the result may be replaced at any moment.
  connect(&session.controller(), &AnalysisController::finished, &m_probe, &IdleProbe::restart);
}

IdleProbe::Work ContributionController::prepare(const SnapshotPtr& shown) {
  m_measuring = false;
  m_messages.dismiss(topic());
  const bool wanted = m_session.options().kind() == ErrorKind::Contribution;
  if (!wanted || m_session.controller().running()) return nullptr;
  const SnapshotPtr next = nextOf(shown);
  if (!next) return nullptr;
  m_measuring = true;
  QTimer::singleShot(kUntilToldMs, this, &ContributionController::tell);
  return [this, next, own = next == shown, &memory = m_session.queue()->memory()](
             JobContext& job, const IdleProbe::Tell& tell) {
    const SnapshotPtr more = withContributions(next, memory, job);
    tell([this, next, more, own] { takeOver(next->result, more->result, own); });
  };
}

SnapshotPtr ContributionController::nextOf(const SnapshotPtr& shown) const {
  if (!isKnown(shown->result)) return shown;
  const SnapshotPtr other = m_comparison.snapshot();
  return other && !isKnown(other->result) ? other : nullptr;
}

// A network without a quantized layer has no contributions, however often it is measured.
bool ContributionController::isKnown(const ResultPtr& result) const {
  return result == m_measured || result == m_otherMeasured ||
         std::ranges::any_of(result->layers, [](const LayerResult& layer) {
           return layer.contribution.has_value();
         });
}

void ContributionController::takeOver(const ResultPtr& measured, const ResultPtr& more, bool own) {
  m_measuring = false;
  m_messages.dismiss(topic());
  if (own) {
    m_measured = more;
    m_session.controller().refine(measured, more);
  } else {
    m_otherMeasured = more;
    m_comparison.refine(measured, more);
  }
}

// What is told of B is mostly that it is still the same.
void ContributionController::followOther() {
  const SnapshotPtr other = m_comparison.snapshot();
  const ResultPtr result = other ? other->result : nullptr;
  if (std::exchange(m_other, result) != result) m_probe.restart();
}

// Only where it takes long.
void ContributionController::tell() {
  if (!m_measuring) return;
  m_messages.tell(
      {.sentence = tr("Measuring what each layer alone does to the outputs…"),
       .remedies = {{tr("Cancel"), [this] { m_session.options().setKind(ErrorKind::Local); }}},
       .topic = topic()});
}

}  // namespace quantscope
