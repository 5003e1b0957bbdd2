#pragma once

#include <QObject>
#include <QTimer>
#include <string>

#include "app/gui/session.h"
#include "app/gui/window/actions.h"

namespace quantscope {

class WindowViews;

/// Connects the list of findings with the rest of a window: the graph and the configuration.
class FindingsController : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  FindingsController(Session& session, WindowViews& views, Actions& actions, QObject* parent);

  /// Brings the list to the front with a finding chosen.
  void show(const std::string& id);
  /// The same with the finding that is `by` places after the chosen one.
  void step(int by);
  /// There are findings to step through.
  bool hasFindings() const;

 private:
  void connectList();
  void connectGraph();
  void tellRunning();

  Session& m_session;
  WindowViews& m_views;
  Actions& m_actions;
  QTimer m_patience;  // with an analysis, until the list says that it runs
};

}  // namespace quantscope
