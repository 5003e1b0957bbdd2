#include "contribution_controller.h"

#include <algorithm>

#include "jobs/explain_errors.h"

namespace quantscope {
namespace {

constexpr int kUntilToldMs = 500;

QString topic() {
  return QStringLiteral("contributions");
}

}  // namespace

ContributionController::ContributionController(Session& session, MessageBar& messages,
                                               QObject* parent)
    : QObject(parent),
      m_session(session),
      m_messages(messages),
      m_probe(session, "contributions",
              [this](const SnapshotPtr& shown) { return prepare(shown); }) {
  connect(&session.options(), &DisplayOptions::changed, &m_probe, &IdleProbe::restart);
  // Until then the result may be replaced at any moment.
  connect(&session.controller(), &AnalysisController::finished, &m_probe, &IdleProbe::restart);
}

IdleProbe::Work ContributionController::prepare(const SnapshotPtr& shown) {
  m_measuring = false;
  m_messages.dismiss(topic());
  const bool wanted = m_session.options().kind() == ErrorKind::Contribution;
  const bool known = m_measured == shown->result ||
                     std::ranges::any_of(shown->result->layers, [](const LayerResult& layer) {
                       return layer.contribution.has_value();
                     });
  if (!wanted || known || m_session.controller().running()) return nullptr;
  m_measuring = true;
  QTimer::singleShot(kUntilToldMs, this, &ContributionController::tell);
  return [this, shown, &memory = m_session.queue()->memory()](JobContext& job,
                                                              const IdleProbe::Tell& tell) {
    const SnapshotPtr more = withContributions(shown, memory, job);
    tell([this, shown, more] {
      m_measuring = false;
      m_messages.dismiss(topic());
      m_measured = more->result;
      m_session.controller().refine(shown->result, more->result);
    });
  };
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
