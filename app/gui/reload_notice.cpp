#include "reload_notice.h"

#include <utility>

#include "widgets/look/text.h"

namespace quantscope {

ReloadNotice::ReloadNotice(Session& session, MessageBar& messages, QObject* parent)
    : QObject(parent), m_session(session), m_messages(messages) {
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, &ReloadNotice::look);
  connect(&session, &Session::documentEnding, this, [this] { m_shown.reset(); });
}

void ReloadNotice::look() {
  const SnapshotPtr shown = m_session.snapshot();
  const SnapshotPtr before = std::exchange(m_shown, shown);
  if (!before || !shown) return;
  const AnalysedFiles then = analysedFiles(*before);
  const AnalysedFiles now = analysedFiles(*shown);
  if (before->request.model == shown->request.model && then.model != now.model) {
    tell(shown->request.model, QStringLiteral("reloaded model"));
  }
  const bool sampled = before->data && shown->data;
  if (sampled && before->request.data == shown->request.data && then.data != now.data) {
    tell(shown->request.data, QStringLiteral("reloaded data"));
  }
}

void ReloadNotice::tell(const std::filesystem::path& file, const QString& topic) {
  m_messages.tell(
      {.sentence = tr("%1 has changed on disk: it is analysed as it is now.").arg(fileName(file)),
       .topic = topic});
}

}  // namespace quantscope
