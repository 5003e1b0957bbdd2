#include "operator_notice.h"

#include "widgets/look/text.h"

namespace quantscope {
namespace {

const QString kTopic = QStringLiteral("operators");

}  // namespace

OperatorNotice::OperatorNotice(Session& session, MessageBar& messages, QObject* parent)
    : QObject(parent), m_session(session), m_messages(messages) {
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, &OperatorNotice::look);
}

// Once for each model.
void OperatorNotice::look() {
  const SnapshotPtr& shown = m_session.snapshot();
  const std::shared_ptr<const Engine> engine = shown ? shown->model.engine : nullptr;
  if (engine == m_told.lock()) return;
  m_told = engine;
  m_messages.dismiss(kTopic);
  if (engine && !engine->notExecutable().empty()) m_messages.tell(messageOf(*engine));
}

Message OperatorNotice::messageOf(const Engine& engine) const {
  const std::vector<NotExecutable>& all = engine.notExecutable();
  const Node& first = engine.graph()[all.front().node];
  const QString domain = first.domain.empty() ? QStringLiteral("ai.onnx") : text(first.domain);
  QString sentence = tr("%1 (operator %2, version %3 of %4) cannot be run: %5.")
                         .arg(text(first.name), text(first.op))
                         .arg(first.version)
                         .arg(domain, text(all.front().reason));
  if (all.size() > 1) sentence += u' ' + tr("%L1 more nodes cannot either.").arg(all.size() - 1);
  return {.severity = Message::Severity::Warning,
          .sentence = sentence,
          .hint = tr("What comes after is drawn, but not computed."),
          .remedies = {{tr("Show It"),
                        [this, node = all.front().node] {
                          m_session.selection().selectNode(node);
                          m_session.selection().requestGraph();
                        }}},
          .topic = kTopic};
}

}  // namespace quantscope
