#pragma once

#include <QObject>
#include <QTimer>
#include <string>

#include "actions.h"
#include "session.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

class WindowViews;

/// Connects the list of findings with the rest of a window: the graph, the configuration, and the
/// messages about accepted suggestions.
class FindingsController : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  FindingsController(Session& session, WindowViews& views, Actions& actions, MessageBar& messages,
                     QObject* parent);

  /// Brings the list to the front with a finding chosen.
  void show(const std::string& id);
  /// The same with the finding that comes so many after the chosen one.
  void step(int by);
  /// There are findings to step through.
  bool hasFindings() const;

 private:
  void connectList();
  void connectGraph();
  void tellRunning();
  void tellAccepting();
  void tellAccepted(Session::Accepted outcome, std::size_t leftOut);
  void tellFailed(const QString& why);

  Session& m_session;
  WindowViews& m_views;
  Actions& m_actions;
  MessageBar& m_messages;
  QTimer m_patience;  // with an analysis, until the list says that it runs
};

}  // namespace quantscope
