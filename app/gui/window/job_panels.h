#pragma once

#include <QObject>

#include "app/gui/session.h"
#include "widgets/shell/job_history.h"
#include "widgets/shell/message_bar.h"

class QTableView;

namespace quantscope {

/// Records the jobs of a session and the messages of its window, and shows both as tables.
class JobPanels : public QObject {
  Q_OBJECT

 public:
  JobPanels(Session& session, MessageBar& messages, QObject* parent);

  QTableView* makeJobTable();
  QTableView* makeLogTable();
  const JobHistory& jobs() const { return m_jobs; }
  const MessageLog& log() const { return m_log; }

 private:
  void begin();
  void writeDown(const Message& message);

  Session& m_session;
  JobHistory m_jobs;
  MessageLog m_log;
};

}  // namespace quantscope
