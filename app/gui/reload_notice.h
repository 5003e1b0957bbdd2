#pragma once

#include <QObject>

#include "session.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

/// Tells when the open model or its data were read again because their files have changed on disk.
class ReloadNotice : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  ReloadNotice(Session& session, MessageBar& messages, QObject* parent);

 private:
  void look();
  void tell(const std::filesystem::path& file, const QString& topic);

  Session& m_session;
  MessageBar& m_messages;
  SnapshotPtr m_shown;  // of the open work, when it was looked at last
};

}  // namespace quantscope
