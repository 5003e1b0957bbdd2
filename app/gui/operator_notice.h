#pragma once

#include <QObject>
#include <memory>

#include "session.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

/// Reports operators that cannot be run as soon as a model is read, before the user chooses data.
class OperatorNotice : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  OperatorNotice(Session& session, MessageBar& messages, QObject* parent);

 private:
  void look();
  Message messageOf(const Engine& engine) const;

  Session& m_session;
  MessageBar& m_messages;
  std::weak_ptr<const Engine> m_told;
};

}  // namespace quantscope
